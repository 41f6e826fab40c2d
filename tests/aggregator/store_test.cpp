// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/store/append.hpp"
#include "aggregator/store/ingest.hpp"
#include "aggregator/store/sqlite.hpp"
#include "aggregator/store/sqlite_ledger.hpp"
#include "aggregator/tally/update.hpp"
#include "aggregator/tally/verify.hpp"
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>
#include <thread>

namespace sotto::aggregator::test {
namespace {

const registry fleet_registry = parse_registry(registry_text(), "M.json");
const metric &smoke = *fleet_registry.find("smoke");

row make(const char *release, std::uint32_t level, bool value, std::uint32_t epoch = 5) {
    report r;
    std::copy_n(release, r.release.size(), r.release.begin());
    r.level = level;
    r.epoch = epoch;
    r.value = std::uint32_t{value};
    return row_of(smoke, r);
}

std::string release_text(std::uint32_t i) { return std::to_string(10'000'000 + i); }

append_result add(const store &target, const std::vector<row> &rows) {
    row_list list = rows_of(smoke, rows);
    return append(target, smoke, list);
}

std::vector<row> releases(const store &from, const selection &what = {}) {
    std::vector<row> rows_read;
    for_each_release(from.segments(smoke), what,
                     [&](row_view r) { rows_read.emplace_back(r.begin(), r.end()); });
    return rows_read;
}

// As they come out: by the hash of the release.
std::vector<row> in_order(std::vector<row> rows) {
    std::sort(rows.begin(), rows.end());
    return rows;
}

// All that counts on the disk but the ledger, which has pages of no meaning.
std::map<std::string, std::string> kept(const store &s) { return tree(s.segment_directory()); }

TEST(Store, DropsWhatItHas) {
    const temporary_directory directory;
    const store s = store::to_write(directory / "store");
    const append_result first = add(s, {make("release2", 0, true), make("release1", 0, true),
                                        make("release1", 0, true), make("release1", 1, true)});
    EXPECT_EQ(first.added, 3u);
    EXPECT_EQ(first.duplicates, 1u);
    EXPECT_EQ(first.conflicts, 0u);
    const auto before = kept(s);
    const append_result again = add(s, {make("release1", 0, true), make("release2", 0, true)});
    EXPECT_EQ(again.added, 0u);
    EXPECT_EQ(again.duplicates, 2u);
    EXPECT_EQ(kept(s), before);
    EXPECT_EQ(add(s, {make("release1", 0, true, 6)}).added, 1u); // another epoch, another release
}

TEST(Store, TheHighestLevelOfAReleaseWins) {
    const temporary_directory directory;
    const store s = store::to_write(directory / "store");
    (void)add(s, {make("release1", 1, true), make("release2", 0, true)});
    (void)add(s, {make("release1", 0, false), make("release2", 1, false)});
    EXPECT_EQ(releases(s), in_order({make("release1", 1, true), make("release2", 1, false)}));
    EXPECT_EQ(releases(s, {{}, 0}),
              in_order({make("release1", 0, false), make("release2", 0, true)}));
    EXPECT_TRUE(releases(s, {4, {}}).empty());
    EXPECT_EQ(releases(s, {5, {}}).size(), 2u);
    EXPECT_TRUE(releases(s, {6, {}}).empty());
}

// Whatever the order and the grouping, the same rows give the same releases and the same sums.
TEST(Store, ConflictsDoNotDependOnOrder) {
    std::vector<row> rows = {make("release1", 0, true),  make("release1", 0, false),
                             make("release1", 0, true),  make("release2", 0, true),
                             make("release2", 1, true),  make("release2", 1, false),
                             make("release3", 0, false), make("release3", 0, false)};
    const std::vector<row> expected = in_order(
        {make("release1", 0, false), make("release2", 1, false), make("release3", 0, false)});
    std::mt19937 random(7);
    for (int round = 0; round < 30; ++round) {
        std::shuffle(rows.begin(), rows.end(), random);
        const auto cut = rows.begin() + static_cast<std::ptrdiff_t>(random() % (rows.size() + 1));
        const temporary_directory directory;
        const store s = store::to_write(directory / "store");
        const append_result first = add(s, {rows.begin(), cut});
        const append_result second = add(s, {cut, rows.end()});
        EXPECT_EQ(first.added + second.added, 4u);
        EXPECT_EQ(first.conflicts + second.conflicts, 2u);
        EXPECT_EQ(first.duplicates + second.duplicates, 2u);
        EXPECT_EQ(releases(s), expected);
        const auto before = kept(s);
        EXPECT_EQ(add(s, rows).duplicates, rows.size());
        EXPECT_EQ(kept(s), before);
    }
}

// A sender chooses release ids, and may choose one for all.
TEST(Store, ManyRowsOfOneReleaseAreOneAndItsConflicts) {
    constexpr std::uint32_t values = 1 << 16;
    const registry every = parse_registry(every_type_text(), "M.json");
    const metric &aircraft = *every.find("aircraft"); // 16 bits
    const temporary_directory directory;
    const store s = store::to_write(directory / "store");
    const auto add_every = [&](std::uint32_t first, std::uint32_t step) {
        row_list list(row_bytes(aircraft));
        std::vector<std::uint8_t> bytes;
        for (std::uint32_t v = first; v < values; v += step) {
            report r;
            r.cohort = 0;
            r.value = bit_string{static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v >> 8)};
            list.add(view_of(r, bytes));
        }
        return append(s, aircraft, list);
    };
    EXPECT_EQ(add_every(1, 2).added, 1u);
    const append_result between = add_every(0, 2);
    EXPECT_EQ(between.added, 0u);
    EXPECT_EQ(between.conflicts, values / 2);
    const append_result again = add_every(0, 1);
    EXPECT_EQ(again.duplicates, values);
    EXPECT_EQ(again.conflicts, 0u);
}

// Compaction removes the segments that were read before it; whoever reads them has them.
TEST(Store, AReaderKeepsWhatAWriterRemoves) {
    const temporary_directory directory;
    const store writer = store::to_write(directory / "store");
    const auto numbered = [](std::uint32_t i) { return make(release_text(i).c_str(), 0, true); };
    for (std::uint32_t i = 0; i < 7; ++i) {
        (void)add(writer, {numbered(i)});
    }
    const store reader = store::to_read(directory / "store");
    (void)add(writer, {numbered(7)});
    ASSERT_EQ(writer.segments(smoke).size(), 1u);
    EXPECT_EQ(releases(reader).size(), 7u);
    EXPECT_EQ(releases(store::to_read(directory / "store")).size(), 8u);
}

// The ledger names a segment that is gone before the reader has it. Without a second look at the
// ledger about ten readers fail here.
TEST(Store, AReaderIsNotInAWritersWay) {
    const temporary_directory directory;
    (void)store::to_write(directory / "store");
    std::atomic<bool> done = false;
    std::atomic<std::uint32_t> looks = 0, added = 0;
    std::thread writing([&] {
        const store writer = store::to_write(directory / "store");
        for (; added < 400 || looks < 20; ++added) {
            (void)add(writer, {make(release_text(added).c_str(), 0, true)});
        }
        done = true;
    });
    std::size_t before = 0;
    for (bool last = false; !last; ++looks) {
        last = done;
        try {
            const std::size_t now = releases(store::to_read(directory / "store")).size();
            EXPECT_GE(now, before);
            before = now;
        } catch (const failure &error) {
            ADD_FAILURE() << error.what();
        }
    }
    writing.join();
    EXPECT_EQ(before, added);
}

TEST(Store, CleansUpAfterAWriterThatWasKilled) {
    const temporary_directory directory;
    const std::string left = std::string(temporary_prefix) + "99-0";
    (void)add(store::to_write(directory / "store"), {make("release1", 0, true)});
    const auto names = [](const std::filesystem::path &root) {
        std::vector<std::string> kept;
        for (const auto &[name, bytes] : tree(root)) {
            kept.push_back(name);
        }
        return kept;
    };
    const auto before = names(directory / "store");
    (void)directory.file("store/segments/89abcdef/" + left, "half a segm");
    (void)directory.file("store/" + left, "");
    (void)directory.file("store/segments/89abcdef/0123.seg", "never acknowledged");
    EXPECT_EQ(releases(store::to_read(directory / "store")).size(), 1u);
    (void)store::to_write(directory / "store");
    EXPECT_EQ(names(directory / "store"), before);
}

TEST(Store, PassesOverWhatIsNotItsOwn) {
    const temporary_directory directory;
    store::to_write(directory / "store").keep({fleet_registry, registry_text()});
    (void)add(store::to_write(directory / "store"), {make("release1", 0, true)});
    (void)directory.file("store/registries/notes.json", "{}");
    (void)directory.file("store/segments/README", "none");
    const std::string left = "store/" + std::string(temporary_prefix) + "99-0";
    for (const std::string &name : {left, std::string("store/segments/89abcdef/0123.seg")}) {
        std::filesystem::create_directory(directory / name);
        (void)directory.file(name + "/file", "of somebody");
    }
    const auto before = tree(directory / "store/segments");
    EXPECT_EQ(releases(store::to_read(directory / "store")).size(), 1u);
    const store s = store::to_write(directory / "store");
    EXPECT_EQ(s.registries().size(), 1u);
    EXPECT_EQ(tree(directory / "store/segments"), before);
}

TEST(Store, TakesUpADirectoryThatWasHardlyBegun) {
    const temporary_directory directory;
    std::filesystem::create_directory(directory / "store");
    (void)directory.file("store/lock", "");
    EXPECT_TRUE(releases(store::to_read(directory / "store")).empty());
    (void)directory.file("store/ledger.sqlite", "");
    EXPECT_TRUE(releases(store::to_read(directory / "store")).empty());
    (void)sqlite_ledger::to_write(directory / "store/ledger.sqlite");
    std::filesystem::create_directory(directory / "store/registries");
    std::filesystem::create_directory(directory / "store/segments");
    EXPECT_TRUE(releases(store::to_read(directory / "store")).empty());
    EXPECT_EQ(add(store::to_write(directory / "store"), {make("release1", 0, true)}).added, 1u);
}

// A store that lost its store.json, be one part alone left, is neither empty nor begun anew.
TEST(Store, MissesItsFormat) {
    for (const std::string kept : {"registries", "segments", "ledger.sqlite"}) {
        const temporary_directory directory;
        {
            store s = store::to_write(directory / "store");
            s.keep({fleet_registry, registry_text()});
            (void)add(s, {make("release1", 0, true)});
        }
        for (const std::string part : {"registries", "segments", "ledger.sqlite", "store.json"}) {
            if (part != kept) {
                std::filesystem::remove_all(directory / "store" / part);
            }
        }
        for (const bool write : {false, true}) {
            try {
                (void)(write ? store::to_write(directory / "store")
                             : store::to_read(directory / "store"));
                ADD_FAILURE() << kept;
            } catch (const environment_error &error) {
                EXPECT_NE(std::string(error.what()).find("store.json: missing; restore it"),
                          std::string::npos)
                    << error.what();
            }
        }
        EXPECT_FALSE(std::filesystem::exists(directory / "store/store.json"));
    }
}

TEST(Store, RefusesADirectoryOfSomethingElse) {
    const temporary_directory directory;
    std::filesystem::create_directory(directory / "home");
    (void)directory.file("home/letter.txt", "dear");
    std::filesystem::create_directory(directory / "home/sub");
    (void)directory.file("home/sub/.sotto-tmp-1-0", "another store's");
    const auto before = tree(directory / "home");
    EXPECT_THROW((void)store::to_read(directory / "home"), usage_error);
    EXPECT_THROW((void)store::to_write(directory / "home"), usage_error);
    EXPECT_THROW((void)store::to_read(directory / "nowhere"), usage_error);
    EXPECT_EQ(tree(directory / "home"), before);
}

TEST(Store, RefusesANewerStore) {
    const temporary_directory directory;
    (void)store::to_write(directory / "store");
    (void)directory.file("store/store.json", "{\"format\": 5}\n");
    EXPECT_THROW((void)store::to_read(directory / "store"), environment_error);
    EXPECT_THROW((void)store::to_write(directory / "store"), environment_error);
}

TEST(Store, RefusesAnOlderStoreAndSaysWhatToDo) {
    const temporary_directory directory;
    (void)store::to_write(directory / "store");
    (void)directory.file("store/store.json", "{\"format\": 2}\n");
    try {
        (void)store::to_read(directory / "store");
        ADD_FAILURE();
    } catch (const usage_error &error) {
        EXPECT_NE(std::string(error.what()).find("ingest its report files into a new one"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_THROW((void)store::to_write(directory / "store"), usage_error);
}

TEST(Store, KeepsEveryRegistryAndRefusesAnImpostor) {
    const temporary_directory directory;
    store s = store::to_write(directory / "store");
    const auto file = [](const std::string &text) {
        return registry_file{parse_registry(text, "M.json"), text};
    };
    s.keep(file(registry_text()));
    s.keep(file(registry_text() + "\n"));
    s.keep(file(replaced(registry_text(), "8a1b2c3d", "00000001")));
    EXPECT_EQ(s.registries().size(), 2u);
    EXPECT_EQ(read_file(directory / "store/registries/8a1b2c3d.json"), registry_text());
    EXPECT_THROW(s.keep(file(replaced(registry_text(), "01234567", "01234568"))), usage_error);
    // A metric with the fingerprint of another metric would share its segments.
    const std::string other = replaced(registry_text(), "8a1b2c3d", "00000002");
    EXPECT_THROW(s.keep(file(replaced(other, "\"id\": 1,", "\"id\": 2,"))), usage_error);
    EXPECT_EQ(s.registries().size(), 2u);
}

TEST(Store, EveryDamagedByteOfASegmentIsSeen) {
    const temporary_directory directory;
    const store s = store::to_write(directory / "store");
    (void)add(s, {make("release1", 0, true), make("release2", 1, true)});
    const auto entry = *std::filesystem::directory_iterator(s.segment_directory() / "89abcdef");
    const std::string name = "store/segments/89abcdef/" + entry.path().filename().string();
    const std::string good = read_file(entry.path());
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 0x10);
        (void)directory.file(name, bad);
        EXPECT_THROW((void)releases(s), environment_error) << i;
        (void)directory.file(name, good.substr(0, i));
        EXPECT_THROW((void)releases(s), environment_error) << i;
    }
    (void)directory.file(name, good);
    EXPECT_EQ(releases(s).size(), 2u);
}

TEST(Store, AFullDiskLeavesNothingHalfWritten) {
    const temporary_directory directory;
    const store s = store::to_write(directory / "store");
    std::filesystem::create_directory(s.segment_directory() / "89abcdef");
    const auto before = kept(s);
    std::vector<row> rows;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        rows.push_back(make("release1", 0, true, i));
    }
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old_limit = {};
    getrlimit(RLIMIT_FSIZE, &old_limit);
    const rlimit small = {4096, old_limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW((void)add(s, rows), environment_error);
    setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(kept(s), before);
    EXPECT_EQ(add(s, rows).added, 1000u);
}

TEST(Store, IngestingAgainChangesNoByte) {
    const temporary_directory directory;
    wire_report first, second;
    second.release = "release2";
    const std::string path =
        directory.file("in.bin", file_of(first, second) + file_of(second, first));
    const auto run = [&] {
        store target = store::to_write(directory / "store");
        target.keep({parse_registry(registry_text(), "M.json"), registry_text()});
        ingest i(target);
        envelope_file file(path);
        (void)i.add(file);
        i.finish();
        return std::pair(i.reports(), i.rejected().count(reason::duplicate));
    };
    EXPECT_EQ(run(), (std::pair<std::uint64_t, std::uint64_t>(2, 2)));
    const auto before = tree(directory / "store/segments");
    EXPECT_EQ(run(), (std::pair<std::uint64_t, std::uint64_t>(0, 4)));
    EXPECT_EQ(tree(directory / "store/segments"), before);
}

// The page's account of rejected reports, as files come again, grow, and epochs end.
class Account : public testing::Test {
  protected:
    Account() { store_.keep({fleet_registry, registry_text()}); }

    // Twenty envelopes, sealed if wanted: every fifth has a report that no metric admits besides
    // one that is counted.
    static std::vector<std::string> envelopes(bool sealed) {
        std::vector<std::string> envelopes;
        for (int i = 0; i < 20; ++i) {
            wire_report good, bad;
            good.release = std::to_string(10'000'000 + i);
            bad.level = 9;
            const std::string batch =
                i % 5 == 0 ? wire_batch{}.bytes(good, bad) : wire_batch{}.bytes(good);
            wire_envelope e;
            if (sealed) {
                e.key_id = 7;
                e.enc = std::string(32, 'e');
                e.ciphertext = batch + std::string(16, 't');
            } else {
                e.batch = batch;
            }
            envelopes.push_back(delimited(e.bytes()));
        }
        return envelopes;
    }

    static std::string joined(const std::vector<std::string> &envelopes, std::size_t count) {
        std::string out;
        for (std::size_t i = 0; i < count; ++i) {
            out += envelopes[i];
        }
        return out;
    }

    // Answers how many reports were new.
    std::uint64_t take(const std::string &bytes, bool with_key = false) {
        const std::string path = directory_.file("in.bin", bytes);
        ingest i(store_);
        if (with_key) {
            i.open_with([]() -> envelope_opener {
                return [](const envelope &e) {
                    return std::string(e.ciphertext.substr(0, e.ciphertext.size() - 16));
                };
            });
        }
        envelope_file file(path);
        (void)i.add(file);
        i.finish();
        return i.reports();
    }

    std::string said() { return store_.book().rejected().text(); }

    const temporary_directory directory_;
    store store_ = store::to_write(directory_ / "store");
    const std::vector<std::string> plain_ = envelopes(false), sealed_ = envelopes(true);
};

TEST_F(Account, AReadingWithoutTheKeyTakesNothingBack) {
    const std::string whole = joined(sealed_, 20);
    EXPECT_EQ(take(whole), 0u);
    EXPECT_EQ(said(), ""); // nothing is kept of a file in which nothing is readable
    EXPECT_EQ(take(whole, true), 20u);
    EXPECT_EQ(said(), "4 level outside the ladder");
    EXPECT_EQ(take(whole), 0u);
    EXPECT_EQ(said(), "4 level outside the ladder");
}

// The first stores of this format did not keep how files begin.
TEST_F(Account, AFileGoesOnWithOneOfAnOlderProgram) {
    EXPECT_EQ(take(joined(plain_, 12)), 12u);
    const auto ledger_file = directory_ / "store/ledger.sqlite";
    sqlite::to_write(ledger_file)
        ->run("DROP INDEX files_by_head; ALTER TABLE files DROP COLUMN head");
    std::optional<store> writer;
    ingest i(store_.registries(), [&]() -> const store & {
        return writer ? *writer : writer.emplace(store::to_write(directory_ / "store"));
    });
    { const store ended = std::move(store_); } // its lock
    i.know(store::to_read(directory_ / "store"));
    envelope_file file(directory_.file("in.bin", joined(plain_, 20)));
    (void)i.add(file);
    i.finish();
    EXPECT_EQ(i.reports(), 8u);
    EXPECT_EQ(writer->book().rejected().text(), "4 level outside the ladder");
    EXPECT_EQ(verify(*writer).problems, std::vector<std::string>());
}

TEST_F(Account, WhatWasCountedIsNotLateOnceItIsExpired) {
    EXPECT_EQ(take(joined(plain_, 10)), 10u);
    const std::string said_before = said();
    expire_epochs(store_, 5);
    EXPECT_EQ(take(joined(plain_, 10)), 0u);
    EXPECT_EQ(said(), said_before);
    EXPECT_EQ(take(joined(plain_, 20)), 0u); // new reports in it are late
    EXPECT_EQ(said(), "10 too late: the epoch is closed, 4 level outside the ladder");
    EXPECT_EQ(take(joined(plain_, 20)), 0u);
    EXPECT_EQ(said(), "10 too late: the epoch is closed, 4 level outside the ladder");
}

// Wherever it was cut, be it sealed or not, and even if the beginning comes again.
TEST_F(Account, AFileThatGoesOnIsOneFile) {
    for (const bool sealed : {false, true}) {
        const std::vector<std::string> &envelopes = sealed ? sealed_ : plain_;
        const std::string whole = joined(envelopes, 20), some = joined(envelopes, 7);
        for (const std::size_t bytes :
             {std::size_t{3}, some.size(), some.size() + 1, whole.size() - 1}) {
            const temporary_directory other;
            store_ = store::to_write(other / "store");
            store_.keep({fleet_registry, registry_text()});
            (void)take(whole.substr(0, bytes), sealed);
            EXPECT_EQ(store_.book().rejected().count(reason::truncated),
                      bytes == some.size() || bytes == 3 ? 0u : 1u);
            for (int again = 0; again < 2; ++again) {
                (void)take(whole, sealed);
                EXPECT_EQ(said(), "4 level outside the ladder") << bytes;
                (void)take(whole.substr(0, bytes), sealed);
                EXPECT_EQ(said(), "4 level outside the ladder") << bytes;
            }
        }
    }
}

// Two files that begin alike and go on differently: the beginning counts once.
TEST_F(Account, ABeginningOfTwoFilesCountsOnce) {
    (void)take(joined(plain_, 7));
    (void)take(joined(plain_, 7) + plain_[10]);
    (void)take(joined(plain_, 7) + plain_[15]);
    EXPECT_EQ(said(), "4 level outside the ladder");
}

TEST_F(Account, OfTwoReadingsTheOneThatOpensMoreCounts) {
    const std::string whole = joined(plain_, 3) + joined(sealed_, 20);
    (void)take(joined(plain_, 3));
    EXPECT_EQ(take(whole), 0u);
    EXPECT_EQ(said(), "20 sealed, and no --key was given, 1 level outside the ladder");
    EXPECT_EQ(take(whole, true), 17u);
    EXPECT_EQ(said(), "5 level outside the ladder");
    EXPECT_EQ(take(whole + "x"), 0u);
    EXPECT_EQ(said(), "5 level outside the ladder, 1 truncated or not a report file");
}

} // namespace
} // namespace sotto::aggregator::test
