// SPDX-License-Identifier: Apache-2.0
// Checksums find damage, not malice: reports may be chosen so that they agree with those of others.
// Nothing that counts may depend on their being different.
#include "aggregator/base/failure.hpp"
#include "aggregator/store/sqlite.hpp"
#include "aggregator/store/sqlite_ledger.hpp"
#include "tally_store.hpp"

#include <array>

namespace sotto::aggregator::test {
namespace {

class ForgedStore : public tally_store {
  protected:
    // Honest devices sent these: releases 1 to 32, all true.
    std::vector<row> honest() const {
        std::vector<row> rows;
        for (std::uint32_t i = 1; i <= 32; ++i) {
            report r;
            put_big_endian(&r.release[4], i);
            r.epoch = 5;
            r.value = std::uint32_t{1};
            rows.push_back(row_of(smoke(), r));
        }
        return rows;
    }

    // All false, their hashes spread evenly but for four, which were sought for ten seconds: their
    // segment has the checksum of the honest one.
    std::vector<row> forged(std::uint64_t count, const std::array<std::uint64_t, 4> &found) const {
        constexpr std::uint64_t low_bits = (std::uint64_t{1} << 40) - 1;
        report r;
        r.epoch = 5;
        r.value = std::uint32_t{0};
        std::vector<row> rows(count, row_of(smoke(), r));
        for (std::uint64_t i = 0; i < count; ++i) {
            put_big_endian(&rows[i][4], i * (~std::uint64_t{0} / count) & ~low_bits);
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            put_big_endian(&rows[i < 3 ? i + 1 : 7][4], found[i]);
        }
        return rows;
    }

    std::vector<row> forged_32() const {
        return forged(
            32, {0x7ffff00887a817c, 0xfffff0001ddf52c, 0x17ffff0080081e5a, 0x37ffff0072b7c115});
    }
    std::vector<row> forged_37() const {
        return forged(
            37, {0x6eb3e004a40185e, 0xdd67c00150ab8d3, 0x14c1ba005ad965bc, 0x306eb300a1f2c7f9});
    }

    // Sixteen releases that together leave the digest of epoch 5 as it was.
    std::uint64_t add_cancelling() {
        constexpr std::array<std::uint64_t, 16> releases = {
            0x43ea6366023180fe, 0x92783c53dc4001a1, 0x33cd909007ae102a, 0x28735f87908a04fd,
            0x24d159d03bfe0bc6, 0x0ef93e295a0e076d, 0x3def604232c7b9f0, 0x59798a323786b7a7,
            0x6ef4108da2fe1afa, 0xc59104f4c63d5f9e, 0xb40303028b3dca2f, 0x42549338a383e07f,
            0xe4d38ba5db6eb184, 0x97014f45d8e418b8, 0x65613f01625c4cf1, 0xe81666651ca9415f};
        std::vector<row> rows;
        for (const std::uint64_t release : releases) {
            report r;
            put_big_endian(r.release.data(), release);
            r.epoch = 5;
            r.value = std::uint32_t{1};
            rows.push_back(row_of(smoke(), r));
        }
        return append_rows(rows).added;
    }

    append_result append_rows(const std::vector<row> &rows) {
        const row_list list = rows_of(smoke(), rows);
        return append(store_, smoke(), list);
    }

    std::filesystem::path file_of(const segment_record &record) const {
        return store_.segment_directory() / record.name;
    }

    epoch_record epoch() const { return store_.book().epochs(smoke().fingerprint).at(0); }
};

TEST_F(ForgedStore, ASegmentTakesNoOthersPlace) {
    for (const std::vector<row> &rows : {forged_32(), forged_37()}) {
        const temporary_directory other;
        store other_store = store::to_write(other / "store");
        other_store.keep({registry_, registry_text()});
        EXPECT_EQ(append(other_store, smoke(), rows_of(smoke(), honest())).added, 32u);
        EXPECT_EQ(append(other_store, smoke(), rows_of(smoke(), rows)).added, rows.size());
        const std::vector<segment_record> segments = other_store.book().segments();
        ASSERT_EQ(segments.size(), 2u);
        EXPECT_EQ(segments[0].checksum, segments[1].checksum);
        EXPECT_EQ(verify(other_store).problems, std::vector<std::string>());
        const std::vector<partial_tally> tallies = make_tallies(other_store, registry_, {});
        const auto counts = read_tally(smoke(), tallies.at(0).counts);
        EXPECT_EQ(counts->highest[0].ones[0], rows.size());
        EXPECT_EQ(counts->highest[0].ones[1], 32u);
    }
}

// Nor that of a file that a run left which was cut before its commit, or of anybody's.
TEST_F(ForgedStore, ASegmentTakesNoPlaceThatIsTaken) {
    const std::string next = std::to_string(store_.book().next_commit());
    const std::string name = "store/segments/89abcdef/" + next + ".seg";
    std::filesystem::create_directories(directory_ / "store/segments/89abcdef");
    (void)directory_.file(name, "somebody's");
    EXPECT_EQ(append_rows(honest()).added, 32u);
    EXPECT_EQ(read_file(directory_ / name), "somebody's");
    EXPECT_EQ(problems(), std::vector<std::string>());
}

// A segment with another's content where its checksum does not tell: nothing is counted for the
// last time that did not come.
TEST_F(ForgedStore, WhatExpiresIsHeldAgainstTheLedger) {
    (void)append_rows(honest());
    (void)commit_tallies(store_, make_tallies(store_, registry_, {}), tallied::here);
    const auto before = counted();
    (void)append_rows(forged_32());
    const std::vector<segment_record> segments = store_.book().segments();
    const std::string good = read_file(file_of(segments.at(0)));
    std::filesystem::copy_file(file_of(segments.at(1)), file_of(segments[0]),
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_THROW((void)expire_epochs(store_, 5), environment_error);
    EXPECT_EQ(store_.book().closed_through(), std::nullopt);
    EXPECT_EQ(store_.book().tally(smoke().fingerprint, 5)->counts, tally_bytes(before));
    ASSERT_EQ(store_.book().segments().size(), 2u);
    std::filesystem::remove(file_of(segments[0]));
    (void)directory_.file("store/segments/" + segments[0].name, good);
    EXPECT_EQ(expire_epochs(store_, 5), 64u);
    EXPECT_EQ(counted().highest[0].ones[1], 32u);
}

TEST_F(ForgedStore, AStaleTallyDoesNotPassForCurrent) {
    (void)append_rows(honest());
    (void)commit_tallies(store_, make_tallies(store_, registry_, {}));
    const auto part = [&](std::uint32_t i) { return make_tallies(store_, registry_, {}, {i, 2}); };
    std::vector<partial_tally> old = part(0), rest = part(1);
    const epoch_record before = epoch();
    ASSERT_EQ(add_cancelling(), 16u);
    ASSERT_EQ(epoch().digest, before.digest);
    EXPECT_EQ(verify(store_).outdated, 1u);
    EXPECT_EQ(counted().highest[0].reports, 48u);
    // Nor do its parts, be they written and read again.
    const std::string path = directory_ / "parts";
    old.push_back(rest.at(0));
    write_tallies(path, old);
    try {
        check_current(store_, read_tallies(path, read_file(path)));
        ADD_FAILURE();
    } catch (const usage_error &error) {
        EXPECT_STREQ(error.what(),
                     "smoke, epoch 5: this tally is not of the reports that the store "
                     "holds now; tally it again");
    }
    EXPECT_THROW(
        (void)commit_tallies(store_, merge_tallies(read_tallies(path, read_file(path)), registry_)),
        usage_error);
    old[1] = part(1).at(0);
    EXPECT_THROW((void)merge_tallies(old, registry_), usage_error) << "of 32 and of 48 reports";
    EXPECT_EQ(commit_tallies(store_, make_tallies(store_, registry_, {})), 1u);
    EXPECT_EQ(verify(store_).outdated, 0u);
    EXPECT_EQ(problems(), std::vector<std::string>());
}

// The first stores of this format did not keep of how many reports a tally is.
TEST_F(ForgedStore, ATallyOfAnOlderProgramStandsWhereNothingElseIsLeft) {
    (void)append_rows(honest());
    add_some(3, 6);
    (void)expire_epochs(store_, 5);
    (void)commit_tallies(store_, make_tallies(store_, registry_, {}));
    const epoch_tally expired = counted(5);
    const auto forget = [&] {
        sqlite::to_write(directory_ / "store/ledger.sqlite")
            ->run("ALTER TABLE tallies DROP COLUMN rows");
    };
    forget();
    {
        const store older = store::to_read(directory_ / "store");
        metric_epochs epochs(older, smoke());
        EXPECT_EQ(tally_bytes(epochs.tally(epochs.epochs()[0])), tally_bytes(expired));
        EXPECT_EQ(older.book().tally(smoke().fingerprint, 6)->rows, 0u);
        EXPECT_EQ(verify(older).problems, std::vector<std::string>());
        EXPECT_EQ(verify(older).outdated, 3u) << "epochs 6, 7 and 8";
    }
    sqlite_ledger::to_write(directory_ / "store/ledger.sqlite"); // as the next writer does
    EXPECT_EQ(commit_tallies(store_, make_tallies(store_, registry_, {})), 4u);
    EXPECT_EQ(store_.book().tally(smoke().fingerprint, 5)->rows, 32u);
    EXPECT_EQ(tally_bytes(counted(5)), tally_bytes(expired));
    EXPECT_EQ(verify(store_).outdated, 0u);
    EXPECT_EQ(problems(), std::vector<std::string>());
}

} // namespace
} // namespace sotto::aggregator::test
