// SPDX-License-Identifier: Apache-2.0
// Tallies of a store: parts add up to the whole, an older tally is replaced, epochs end.
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "tally_store.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {
namespace {

class Tally : public tally_store {};

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

// A device that was relaxed because of its own answer is counted by both answers.
TEST_F(Tally, KeepsWhatASelectedReleaseHadSaid) {
    (void)add(1, 0, true);
    (void)add(1, 1, true, 5, report_flags::selected);
    (void)add(2, 0, true);
    (void)add(2, 1, false, 5, report_flags::selected);
    (void)add(3, 0, true);
    (void)add(3, 1, false);                            // relaxed whatever it had said
    (void)add(4, 1, false, 5, report_flags::selected); // its first report never came
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

// Estimates take their counts on trust: values as indices, differences of counts as counts.
TEST_F(Tally, CountsThatCanNotBeAreNoTally) {
    const auto is_read = [&](const metric &m, const auto &edit) {
        epoch_tally t = empty_epoch_tally(m);
        edit(t);
        return read_tally(m, tally_bytes(t)).has_value();
    };
    const auto phase = [&](const auto &edit) {
        return is_read(*every_.find("phase"), [&](epoch_tally &t) {
            t.highest[1].reports = t.highest[1].ones[2] = 5;
            t.lower[0].reports = t.lower[0].ones[3] = 5;
            t.selected[{0, 3, 1, 2}] = 5;
            edit(t);
        });
    };
    const auto selects = [&](selected_release what, std::uint64_t count) {
        return phase([&](epoch_tally &t) { t.selected = {{what, count}}; });
    };
    EXPECT_TRUE(phase([](epoch_tally &) {}));
    EXPECT_TRUE(phase([](epoch_tally &t) { t.unexplained = 7; }));
    EXPECT_FALSE(phase([](epoch_tally &t) { ++t.highest[0].reports; }));
    EXPECT_FALSE(phase([](epoch_tally &t) { ++t.lower[1].ones[0]; }));
    EXPECT_FALSE(phase([](epoch_tally &t) { t.unexplained = std::uint64_t{1} << 62; }));
    EXPECT_FALSE(phase([](epoch_tally &t) {
        t.highest[0].ones = {std::uint64_t{1} << 63, std::uint64_t{1} << 63, 0, 0};
    })) << "they add up to 0 where sums wrap";
    EXPECT_TRUE(selects({0, 3, 1, 2}, 4));
    EXPECT_FALSE(selects({0, 3, 1, 2}, 6)) << "more than there are";
    EXPECT_FALSE(selects({0, 3, 1, 2}, 0));
    EXPECT_FALSE(selects({0, 2, 1, 2}, 5)) << "nothing said that before";
    EXPECT_FALSE(selects({0, 3, 1, 1}, 5)) << "nor after";
    EXPECT_FALSE(selects({0, 3, 1, 4}, 5));
    EXPECT_FALSE(selects({0, 4, 1, 2}, 5));
    EXPECT_FALSE(selects({0, 3, 2, 2}, 5));
    EXPECT_FALSE(selects({1, 2, 1, 2}, 5));
    EXPECT_FALSE(selects({7, 100'000'000, 9, 2'000'000'000}, 5));

    const auto parts = [&](std::uint64_t ones, std::uint64_t reports) {
        return is_read(*every_.find("parts"), [&](epoch_tally &t) {
            t.highest[0].reports = reports;
            t.highest[0].cohorts[0] = 3;
            t.highest[0].ones[4] = ones;
        });
    };
    EXPECT_TRUE(parts(3, 3));
    EXPECT_FALSE(parts(4, 3));
    EXPECT_FALSE(parts(3, 4));
    EXPECT_FALSE(is_read(*every_.find("parts"), [](epoch_tally &t) { t.unexplained = 1; }));

    const auto speed = [&](number_count n) { // -30 to 90
        return is_read(*every_.find("speed"), [&](epoch_tally &t) {
            t.highest[0].reports = 3;
            t.highest[0].numbers[0] = n;
        });
    };
    EXPECT_TRUE(speed({3, 90 + 89 + 89, 0, 1}));
    EXPECT_TRUE(speed({3, -30 - 30 + 90, 2, 1}));
    EXPECT_FALSE(speed({3, 90 + 89 + 90, 0, 1}));
    EXPECT_FALSE(speed({3, -30 - 30 - 30, 2, 0}));
    EXPECT_FALSE(speed({3, -30 - 30 + 90, 2, 2}));
    EXPECT_FALSE(speed({2, 0, 0, 0}));
    EXPECT_FALSE(speed({3, INT64_MAX, 0, 0}));
}

TEST_F(Tally, IsWrittenInOneWay) {
    // Two of phase: level 0, value 1; then no lower ones, none selected, none unexplained.
    const metric &phase = *every_.find("phase");
    const std::vector<std::uint8_t> good = {0, 2, 1, 2, 0, 0, 0, 0, 0, 0};
    ASSERT_TRUE(read_tally(phase, good));
    EXPECT_EQ(tally_bytes(*read_tally(phase, good)), good);
    std::vector<std::uint8_t> longer = good; // 2 as two bytes
    longer[1] = 0x82;
    longer.insert(longer.begin() + 2, 0);
    EXPECT_FALSE(read_tally(phase, longer));
    // 2^32 as a level is not level 0; the same selection twice is not one.
    const std::vector<std::uint8_t> head = {5, 2, 2, 2, 0, 0, 0, 2, 1, 2, 0, 0};
    const auto with = [&](const std::vector<std::uint8_t> &selected) {
        std::vector<std::uint8_t> bytes = head;
        bytes.insert(bytes.end(), selected.begin(), selected.end());
        bytes.push_back(0);
        return read_tally(phase, bytes).has_value();
    };
    EXPECT_TRUE(with({1, 0, 1, 1, 2, 1}));
    EXPECT_FALSE(with({1, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 1, 2, 1}));
    EXPECT_FALSE(with({2, 0, 1, 1, 2, 1, 0, 1, 1, 2, 1}));
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
        const std::vector<partial_tally> sums =
            merge_tallies(read_tallies(path, read_file(path)), registry_);
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

TEST_F(Tally, PartsOfMoreThanCanBeAreRefused) {
    const metric &speed = *every_.find("speed");
    epoch_tally most = empty_epoch_tally(speed);
    const std::uint64_t reports = INT64_MAX / 2 / 90; // and no more, or sums would overflow
    most.highest[0].reports = reports;
    most.highest[0].numbers[0] = {reports, static_cast<std::int64_t>(reports) * 90, 0, reports};
    const auto merged = [&](const epoch_tally &t) {
        const partial_tally first = {speed.fingerprint, 5, 2, 1, {0, 2}, tally_bytes(t)};
        partial_tally other = first;
        other.part.index = 1;
        return merge_tallies({first, other}, every_);
    };
    EXPECT_THROW((void)merged(most), usage_error);
    most.highest[0].reports = reports / 2;
    most.highest[0].numbers[0] = {reports / 2, 0, 0, 0};
    EXPECT_EQ(merged(most).size(), 1u);
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
        EXPECT_THROW((void)read_tallies(path, read_file(path)), failure) << i;
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

// A file may hold anything: it must be of as many reports as there are, and does not speak against
// what was counted here.
TEST_F(Tally, AFileIsNotBelievedAgainstTheStore) {
    add_some(300, 5); // 5, 6, 7
    std::vector<partial_tally> tallies = make_tallies(store_, registry_, {});
    const partial_tally good = tallies[0];
    const auto merge = [&](const epoch_tally &t) {
        tallies[0].counts = tally_bytes(t);
        return commit_tallies(store_, tallies);
    };
    epoch_tally wrong = counted();
    wrong.unexplained = 1;
    EXPECT_THROW((void)merge(wrong), usage_error) << "101 of 100 rows";
    EXPECT_TRUE(store_.book().tallies().empty());
    wrong = empty_epoch_tally(smoke());
    wrong.highest[0].reports = wrong.highest[0].ones[1] = 100;
    EXPECT_EQ(merge(wrong), 3u) << "as far as can be told it may be so";
    ASSERT_EQ(problems().size(), 1u);
    EXPECT_NE(problems()[0].find("sotto tally --epoch 5 counts it again"), std::string::npos);
    EXPECT_THROW((void)commit_tallies(store_, {good}), usage_error) << "nor is this one believed";
    const auto again = make_tallies(store_, registry_, 5);
    EXPECT_EQ(again.at(0).counts, good.counts);
    EXPECT_EQ(commit_tallies(store_, again, tallied::here), 1u);
    EXPECT_EQ(problems(), std::vector<std::string>());
    EXPECT_THROW((void)merge(wrong), usage_error);
    EXPECT_EQ(tally_bytes(counted()), good.counts);
}

// An older program let it in, or a disk spoiled it: it is counted again, unless the reports are
// gone.
TEST_F(Tally, AStoredTallyThatCanNotBeIsMadeAgain) {
    add_some(300, 5);
    const auto good = make_tallies(store_, registry_, {});
    const auto spoil = [&](const auto &edit) {
        (void)commit_tallies(store_, good, tallied::here);
        tally_record stored = *store_.book().tally(smoke().fingerprint, 5);
        edit(stored);
        store_.book().put(stored);
    };
    const auto impossible = [&](tally_record &stored) {
        epoch_tally t = *read_tally(smoke(), stored.counts);
        t.selected[{7, 100'000'000, 9, 2'000'000'000}] = 5;
        stored.counts = tally_bytes(t);
        stored.checksum = checksum(stored.counts);
    };
    const auto damage = [](tally_record &stored) { stored.checksum ^= 1; };
    for (const auto &edit : std::vector<std::function<void(tally_record &)>>{impossible, damage}) {
        spoil(edit);
        EXPECT_EQ(problems().size(), 1u);
        EXPECT_EQ(tally_bytes(counted()), good[0].counts);
        EXPECT_EQ(commit_tallies(store_, make_tallies(store_, registry_, {}), tallied::here), 1u);
        EXPECT_EQ(problems(), std::vector<std::string>());
    }
    epoch_tally false_one = empty_epoch_tally(smoke());
    false_one.highest[0].reports = false_one.highest[0].ones[1] = 100;
    spoil([&](tally_record &stored) {
        stored.counts = tally_bytes(false_one);
        stored.checksum = checksum(stored.counts);
    });
    (void)expire_epochs(store_, 5);
    EXPECT_EQ(tally_bytes(counted()), good[0].counts) << "the last time that it can be counted";
    spoil(impossible);
    EXPECT_THROW((void)counted(), environment_error);
    EXPECT_EQ(problems().size(), 1u);
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
    close_epochs(store_, 2); // a closed epoch stays closed
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

// An expired epoch can't be counted: its tally is neither made nor replaced.
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
    wrong.counts = tally_bytes(empty_epoch_tally(smoke())); // the digest is right
    EXPECT_THROW((void)commit_tallies(store_, {wrong}), usage_error);
    EXPECT_EQ(tally_bytes(counted(6)), tally_bytes(before));
    EXPECT_EQ(problems(), std::vector<std::string>());
}

} // namespace
} // namespace sotto::aggregator::test
