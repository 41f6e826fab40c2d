// SPDX-License-Identifier: Apache-2.0
// Tallies of a store: parts add up to the whole, an older tally is replaced, epochs end.
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/store/append.hpp"
#include "aggregator/tally/update.hpp"
#include "aggregator/tally/verify.hpp"
#include "support.hpp"

#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {
namespace {

class Tally : public testing::Test {
  protected:
    Tally() { store_.keep({registry_, registry_text()}); }

    const metric &smoke() const { return *registry_.find("smoke"); }

    append_result add(std::uint32_t release, std::uint32_t level, bool value,
                      std::uint32_t epoch = 5, std::uint32_t flags = 0) {
        report r;
        put_big_endian(&r.release[4], release);
        r.level = level;
        r.epoch = epoch;
        r.flags = flags;
        r.value = std::uint32_t{value};
        row_list list = rows_of(smoke(), {row_of(smoke(), r)});
        return append(store_, smoke(), list);
    }

    void add_some(std::uint32_t count, std::uint32_t epoch = 5) {
        std::mt19937 random(3);
        row_list list(row_bytes(smoke()));
        for (std::uint32_t i = 0; i < count; ++i) {
            report r;
            put_big_endian(&r.release[0], static_cast<std::uint32_t>(random() | 1));
            r.level = random() % 2;
            r.epoch = epoch + i % 3;
            r.value = static_cast<std::uint32_t>(random() % 2);
            std::vector<std::uint8_t> bytes;
            list.add(view_of(r, bytes));
        }
        EXPECT_EQ(append(store_, smoke(), list).added, count);
    }

    epoch_tally counted(std::uint32_t epoch = 5) {
        metric_epochs all(store_, smoke());
        for (const epoch_record &one : all.epochs()) {
            if (one.epoch == epoch) {
                return all.tally(one);
            }
        }
        return empty_epoch_tally(smoke());
    }

    std::vector<std::string> problems() { return verify(store_).problems; }

    const temporary_directory directory_;
    const registry registry_ = parse_registry(registry_text(), "M.json");
    const registry every_ = parse_registry(every_type_text(), "M.json");
    store store_ = store::to_write(directory_ / "store");
};

TEST_F(Tally, CountsReleasesAtTheirHighestLevelAndBelow) {
    (void)add(1, 0, true);
    (void)add(2, 0, false);
    (void)add(2, 1, true);
    (void)add(3, 1, true);
    const epoch_tally t = counted();
    EXPECT_EQ(t.highest[0].ones, (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(t.highest[1].ones, (std::vector<std::uint64_t>{0, 2}));
    EXPECT_EQ(t.lower[0].ones, (std::vector<std::uint64_t>{1, 0}));
    EXPECT_EQ(published_at(t, 0)[0].ones, (std::vector<std::uint64_t>{1, 1}));
    EXPECT_EQ(published_at(t, 0)[0].reports, 2u);
    EXPECT_EQ(published_at(t, 0)[1].reports, 0u);
}

// Whoever was relaxed because of its own answer is counted by both answers.
TEST_F(Tally, KeepsWhatASelectedReleaseHadSaid) {
    (void)add(1, 0, true);
    (void)add(1, 1, true, 5, report_flags::selected);
    (void)add(2, 0, true);
    (void)add(2, 1, false, 5, report_flags::selected);
    (void)add(3, 0, true);
    (void)add(3, 1, false);                            // relaxed whatever it had said
    (void)add(4, 1, false, 5, report_flags::selected); // what it had said never came
    const epoch_tally t = counted();
    const std::map<selected_release, std::uint64_t> expected = {{{0, 1, 1, 0}, 1},
                                                                {{0, 1, 1, 1}, 1}};
    EXPECT_EQ(t.selected, expected);
    EXPECT_EQ(t.highest[1].reports, 3u);
    EXPECT_EQ(t.unexplained, 1u) << "it would lean to what was selected";
    const auto read = read_tally(smoke(), tally_bytes(t));
    EXPECT_EQ(read->selected, expected);
    EXPECT_EQ(read->unexplained, 1u);
}

// Marked once and raised again, perhaps by what level 1 said: the selection that is known is the
// first, by level 0.
TEST_F(Tally, ASelectedReleaseThatWasRaisedAgainCountsByTheFirst) {
    const metric &damage = *every_.find("damage");
    const auto publish = [&](std::uint32_t level, std::uint32_t value, std::uint32_t flags) {
        report r;
        r.level = level;
        r.epoch = 5;
        r.flags = flags;
        r.value = value;
        (void)append(store_, damage, rows_of(damage, {row_of(damage, r)}));
    };
    publish(0, 1, 0);
    publish(1, 0, report_flags::selected);
    publish(2, 0, report_flags::selected);
    const std::map<selected_release, std::uint64_t> expected = {{{0, 1, 1, 0}, 1}};
    const epoch_tally t = count_epoch(store_.segments(damage), damage, 5);
    EXPECT_EQ(t.selected, expected);
    EXPECT_EQ(t.highest[1].reports, 1u);
    EXPECT_EQ(t.highest[2].reports, 0u);
}

TEST_F(Tally, BytesComeBackAndDamageIsSeen) {
    add_some(500);
    const epoch_tally t = counted();
    const std::vector<std::uint8_t> bytes = tally_bytes(t);
    EXPECT_EQ(tally_bytes(*read_tally(smoke(), bytes)), bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_FALSE(read_tally(smoke(), std::span(bytes).first(i))) << i;
    }
    std::vector<std::uint8_t> longer = bytes;
    longer.push_back(0);
    EXPECT_FALSE(read_tally(smoke(), longer));
}

TEST_F(Tally, PartsAddUpToTheWhole) {
    add_some(3000);
    const std::vector<partial_tally> whole = make_tallies(store_, registry_, {});
    ASSERT_EQ(whole.size(), 3u);
    for (const std::uint32_t count : {2U, 3U, 7U, 64U}) {
        std::vector<partial_tally> parts;
        for (std::uint32_t i = count; i-- > 0;) {
            const auto some = make_tallies(store_, registry_, {}, {i, count});
            parts.insert(parts.end(), some.begin(), some.end());
        }
        const std::string path = (directory_ / "parts").string();
        write_tallies(path, parts);
        const std::vector<partial_tally> sums = merge_tallies(read_tallies(path), registry_);
        ASSERT_EQ(sums.size(), whole.size());
        for (std::size_t i = 0; i < sums.size(); ++i) {
            EXPECT_EQ(sums[i].counts, whole[i].counts);
            EXPECT_EQ(sums[i].digest, whole[i].digest);
        }
        // Twice is once; a missing one, or one of other reports, is refused.
        std::vector<partial_tally> twice = parts;
        twice.insert(twice.end(), parts.begin(), parts.end());
        EXPECT_EQ(merge_tallies(twice, registry_)[0].counts, whole[0].counts);
        EXPECT_THROW((void)merge_tallies({parts.begin() + 1, parts.end()}, registry_), usage_error);
        parts[0].digest ^= 1;
        EXPECT_THROW((void)merge_tallies(parts, registry_), usage_error);
    }
}

TEST_F(Tally, ADamagedFileIsRefused) {
    add_some(100);
    const std::string path = (directory_ / "tally").string();
    write_tallies(path, make_tallies(store_, registry_, {}));
    const std::string good = read_file(path);
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        (void)directory_.file("tally", bad);
        EXPECT_THROW((void)read_tallies(path), failure) << i;
    }
}

TEST_F(Tally, AnOpenEpochsTallyIsReplaced) {
    (void)add(1, 0, true);
    EXPECT_EQ(commit_tallies(store_, make_tallies(store_, registry_, {})), 1u);
    EXPECT_EQ(commit_tallies(store_, make_tallies(store_, registry_, {})), 0u);
    const std::vector<partial_tally> old = make_tallies(store_, registry_, {});
    (void)add(2, 0, true);
    EXPECT_EQ(counted().highest[0].reports, 2u); // the old one does not count
    EXPECT_EQ(verify(store_).outdated, 1u);
    EXPECT_THROW((void)commit_tallies(store_, old), usage_error);
    EXPECT_EQ(commit_tallies(store_, make_tallies(store_, registry_, {})), 1u);
    EXPECT_EQ(verify(store_).outdated, 0u);
    EXPECT_EQ(store_.book().tallies().size(), 1u);
    EXPECT_EQ(problems(), std::vector<std::string>());
}

// The same reports give the same tally, however they came.
TEST_F(Tally, DoesNotDependOnHistory) {
    add_some(900);
    const temporary_directory other;
    store again = store::to_write(other / "store");
    again.keep({registry_, registry_text()});
    std::vector<row> rows;
    for_each_release(store_.segments(smoke()), {},
                     [&](row_view r) { rows.emplace_back(r.begin(), r.end()); });
    std::shuffle(rows.begin(), rows.end(), std::mt19937(1));
    for (std::size_t i = 0; i < rows.size(); i += 100) {
        row_list list = rows_of(smoke(), {rows.begin() + static_cast<std::ptrdiff_t>(i),
                                          rows.begin() + static_cast<std::ptrdiff_t>(i + 100)});
        (void)append(again, smoke(), list);
    }
    const auto here = make_tallies(store_, registry_, {}),
               there = make_tallies(again, registry_, {});
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
        EXPECT_EQ(here[i].counts, there[i].counts);
        EXPECT_EQ(here[i].digest, there[i].digest);
    }
    // Nine segments of a size became one, and nothing was lost.
    EXPECT_LT(again.segments(smoke()).size(), 8u);
    EXPECT_EQ(verify(again).problems, std::vector<std::string>());
    EXPECT_EQ(verify(again).rows, 900u);
}

TEST_F(Tally, AClosedEpochTakesNothingMore) {
    (void)add(1, 0, true, 4);
    (void)add(2, 0, true, 5);
    close_epochs(store_, 4);
    EXPECT_EQ(add(1, 0, true, 4).duplicates, 1u);
    EXPECT_EQ(add(3, 0, true, 4).late, 1u);
    EXPECT_EQ(add(3, 0, true, 3).late, 1u);
    EXPECT_EQ(add(3, 0, true, 5).added, 1u);
    close_epochs(store_, 2); // what is closed stays closed
    EXPECT_EQ(add(3, 0, true, 4).late, 1u);
    EXPECT_EQ(counted(4).highest[0].reports, 1u);
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(Tally, AnExpiredEpochKeepsItsTally) {
    add_some(300, 5); // 5, 6, 7
    const epoch_tally before = counted(6);
    EXPECT_EQ(expire_epochs(store_, 6), 200u);
    EXPECT_EQ(expire_epochs(store_, 6), 0u);
    EXPECT_EQ(tally_bytes(counted(6)), tally_bytes(before));
    for_each_release(store_.segments(smoke()), {}, [](row_view r) { EXPECT_EQ(epoch_of(r), 7u); });
    EXPECT_EQ(add(1, 0, true, 6).late, 1u);
    EXPECT_EQ(verify(store_).rows, 100u);
    EXPECT_EQ(problems(), std::vector<std::string>());
}

// Of an expired epoch nothing can be counted: its tally is neither made nor replaced.
TEST_F(Tally, AnExpiredEpochHasNoParts) {
    add_some(300, 5); // 5, 6, 7
    (void)expire_epochs(store_, 6);
    const epoch_tally before = counted(6);
    for (std::uint32_t i = 0; i < 2; ++i) {
        const auto parts = make_tallies(store_, registry_, {}, {i, 2});
        ASSERT_EQ(parts.size(), 1u);
        EXPECT_EQ(parts[0].epoch, 7u);
    }
    EXPECT_THROW((void)make_tallies(store_, registry_, 6, {0, 2}), usage_error);
    partial_tally wrong = make_tallies(store_, registry_, 6)[0];
    EXPECT_EQ(commit_tallies(store_, {wrong}), 0u);
    wrong.counts = tally_bytes(empty_epoch_tally(smoke())); // of the right digest
    EXPECT_THROW((void)commit_tallies(store_, {wrong}), usage_error);
    EXPECT_EQ(tally_bytes(counted(6)), tally_bytes(before));
    EXPECT_EQ(problems(), std::vector<std::string>());
}

// Whoever sends reports says of how many epochs they are.
TEST_F(Tally, ManyEpochsTakeTimeInProportion) {
    constexpr std::uint32_t epochs = 6000;
    row_list list(row_bytes(smoke()));
    for (std::uint32_t i = 0; i < epochs; ++i) {
        report r;
        put_big_endian(&r.release[0], i);
        r.epoch = i;
        r.value = std::uint32_t{1};
        std::vector<std::uint8_t> bytes;
        list.add(view_of(r, bytes));
    }
    EXPECT_EQ(append(store_, smoke(), list).added, epochs);
    const std::vector<partial_tally> all = make_tallies(store_, registry_, {});
    const std::clock_t begin = std::clock();
    EXPECT_EQ(commit_tallies(store_, all), epochs);
    // A fraction of a second; the square of the epochs takes ten and more.
    EXPECT_LT(std::clock() - begin, 3 * CLOCKS_PER_SEC);
}

TEST_F(Tally, VerifyCountsAgain) {
    add_some(100);
    (void)commit_tallies(store_, make_tallies(store_, registry_, {}));
    EXPECT_EQ(problems(), std::vector<std::string>());
    // A tally that says it is of these reports, and is not.
    const epoch_record epoch = store_.book().epochs(smoke().fingerprint)[0];
    tally_record wrong = *store_.book().tally(epoch.metric, epoch.epoch);
    epoch_tally counts = counted();
    ++counts.highest[0].ones[0];
    wrong.counts = tally_bytes(counts);
    wrong.checksum = checksum(wrong.counts);
    store_.book().put(wrong);
    ASSERT_EQ(problems().size(), 1u);
    EXPECT_NE(problems()[0].find("its tally is not what the segments say"), std::string::npos);
    (void)commit_tallies(store_, make_tallies(store_, registry_, {}));
    // A ledger that knows of one report more.
    store_.book().add(epoch_record{epoch.metric, epoch.epoch, 1, 0, 0});
    ASSERT_FALSE(problems().empty());
    EXPECT_NE(problems()[0].find("34 reports in segments are not the 35 of the ledger"),
              std::string::npos)
        << problems()[0];
}

} // namespace
} // namespace sotto::aggregator::test
