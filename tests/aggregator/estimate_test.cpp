// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/estimate/stray_epochs.hpp"
#include "aggregator/store/append.hpp"
#include "aggregator/text/remark_list.hpp"
#include "aggregator/text/remark_words.hpp"
#include "support.hpp"
#include "trials.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

// estimators.json, item "rr": n = 500, epsilon = 1, 250 ones; computed with 30 digits.
TEST(RandomizedResponse, AgreesWithTheReferenceNumbers) {
    const level_count count[] = {{500, 250}};
    const double flip[] = {1 / (1 + std::exp(1.0))};
    const estimated found = estimate_flips(count, flip);
    EXPECT_NEAR(found.value, 250, 1e-9);
    EXPECT_NEAR(found.std_error * found.std_error, 460.336797103896159472706761358, 1e-9);
    EXPECT_EQ(found.reports, 500u);
}

// By hand: p = 1/4, n = 1000: (400 - 250) / (1/2) = 300, variance 1000 (3/16) / (1/4) = 750.
TEST(RandomizedResponse, AgreesWithNumbersByHand) {
    const level_count count[] = {{1000, 400}};
    const double flip[] = {0.25};
    const estimated found = estimate_flips(count, flip);
    EXPECT_DOUBLE_EQ(found.value, 300);
    EXPECT_DOUBLE_EQ(found.std_error, std::sqrt(750.0));
    EXPECT_DOUBLE_EQ(found.ci_low(), 300 - 1.959963984540054 * std::sqrt(750.0));
    EXPECT_DOUBLE_EQ(found.ci_high(), 300 + 1.959963984540054 * std::sqrt(750.0));
}

// With n = 400 at p = 3/8 beside it: (100 - 150) / (1/4) = -200, not clipped; variance 400 (15/64)
// * 16.
TEST(RandomizedResponse, LevelsAdd) {
    const level_count counts[] = {{400, 100}, {1000, 400}};
    const double flip[] = {0.375, 0.25};
    const estimated found = estimate_flips(counts, flip);
    EXPECT_DOUBLE_EQ(found.value, 100);
    EXPECT_DOUBLE_EQ(found.std_error, std::sqrt(750.0 + 1500.0));
    EXPECT_EQ(found.reports, 1400u);
    const estimated low = estimate_flips(std::span(counts).first(1), flip);
    EXPECT_DOUBLE_EQ(low.value, -200);
}

class EstimateStore : public testing::Test {
  protected:
    EstimateStore() {
        std::vector<row> rows;
        for (std::uint32_t i = 0; i < 8; ++i) { // 8 at level 0, 3 of them true; 4 relaxed, all true
            rows.push_back(make(i, 0, i < 3, 5));
            if (i < 4) {
                rows.push_back(make(i, 1, true, 5));
            }
        }
        rows.push_back(make(100, 0, true, 9));
        row_list list = rows_of(smoke(), rows);
        (void)append(store::to_write(directory_ / "store"), smoke(), list);
    }

    const metric &smoke() const { return *registry_.find("smoke"); }

    row make(std::uint32_t release, std::uint32_t level, bool value, std::uint32_t epoch) {
        report r;
        r.release[7] = static_cast<std::uint8_t>(release);
        r.level = level;
        r.epoch = epoch;
        r.value = std::uint32_t{value};
        return row_of(smoke(), r);
    }

    estimates estimate_with_notes(const std::string &metric_name = "", const selection &what = {}) {
        return estimate(store::to_read(directory_ / "store"), registry_,
                        {metric_name, what, {}, false, {}, ""});
    }
    std::vector<estimate_row> estimate_all(const std::string &metric_name = "",
                                           const selection &what = {}) {
        return estimate_with_notes(metric_name, what).rows;
    }

    temporary_directory directory_;
    registry registry_ = parse_registry(registry_text(), "M.json");
};

TEST_F(EstimateStore, CountsEachReleaseOnceAtItsHighestLevel) {
    const auto rows = estimate_all();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].subject->name, "smoke");
    EXPECT_EQ(rows[0].epoch, 5u);
    EXPECT_FALSE(rows[0].level);
    EXPECT_TRUE(rows[0].mixed);
    EXPECT_EQ(rows[0].result.reports, 8u);
    // Four at level 1, all true: (4 - 1) / (1/2); four at level 0, none: (0 - 3/2) / (1/4).
    EXPECT_DOUBLE_EQ(rows[0].result.value, 6 - 6);
    // By the inverse of 15/4 + 1/4 and 3/4 + 1/4: shares of -3/2 and 3/2 weigh 1 to 4.
    ASSERT_TRUE(rows[0].pooled);
    EXPECT_DOUBLE_EQ(rows[0].pooled->value, 8 * (4 * 1.5 - 1.5) / 5);
    EXPECT_DOUBLE_EQ(rows[0].epsilon, std::log(3));
    EXPECT_EQ(rows[0].consistent, rows[0].result.value);
    EXPECT_FALSE(rows[1].pooled);
    EXPECT_EQ(rows[1].epoch, 9u);
    EXPECT_FALSE(rows[1].mixed);
    EXPECT_DOUBLE_EQ(rows[1].epsilon, std::log(5.0 / 3));
}

TEST_F(EstimateStore, ALevelIsWhatWasPublishedThere) {
    const auto rows = estimate_all("smoke", {5, 0});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].level, 0u);
    EXPECT_EQ(rows[0].result.reports, 8u);
    EXPECT_DOUBLE_EQ(rows[0].result.value, (3 - 8 * 0.375) / 0.25);
    EXPECT_EQ(estimate_all("smoke", {5, 1}).at(0).result.reports, 4u);
}

TEST_F(EstimateStore, SelectsAndRefuses) {
    EXPECT_EQ(estimate_all("smoke", {9, {}}).size(), 1u);
    EXPECT_TRUE(estimate_all("damage").empty());
    EXPECT_TRUE(estimate_all("smoke", {10, {}}).empty());
    EXPECT_THROW((void)estimate_all("fire"), usage_error);
    EXPECT_THROW((void)estimate_all("damage", {{}, 1}), usage_error);
    EXPECT_THROW((void)estimate_all("", {{}, 2}), usage_error);
}

// A forged epoch beside one of a fleet. Until it is asked for, nothing is made of it. All that is
// said is that it was left out.
TEST_F(EstimateStore, LeavesStrayEpochsOut) {
    std::vector<row> rows;
    for (std::uint32_t i = 0; i < 250; ++i) {
        rows.push_back(make(i, 0, i % 2 == 0, 20));
    }
    rows.push_back(make(251, 0, true, 27)); // the fleet's, maybe
    for (std::uint32_t epoch = 0; epoch < 100; ++epoch) {
        rows.push_back(make(252, 0, true, 4'000'000'000 + 2 * epoch));
    }
    row_list list = rows_of(smoke(), rows);
    (void)append(store::to_write(directory_ / "store"), smoke(), list);
    const estimates found = estimate_with_notes();
    std::vector<std::uint32_t> epochs;
    for (const estimate_row &r : found.rows) {
        epochs.push_back(*r.epoch);
    }
    EXPECT_EQ(epochs, (std::vector<std::uint32_t>{5, 9, 20, 27})); // epoch 9 has one report
    const std::string left_out = "smoke: left out: 100 reports in 100 epochs (epochs 4000000000, ";
    EXPECT_EQ(
        std::ranges::count_if(remark_lines(found),
                              [&](const std::string &line) { return line.starts_with(left_out); }),
        1);
    EXPECT_EQ(estimate_all("smoke", {4'000'000'000, {}}).size(), 1u);
}

epoch_record epoch_of_size(std::uint32_t epoch, std::uint64_t rows) {
    return {1, epoch, rows, 0, 0};
}

TEST(StrayEpochs, AreWhatIsSmallAndFarFromOthers) {
    std::vector<epoch_record> epochs = {epoch_of_size(0, 900)}; // clocks that were never set
    for (std::uint32_t epoch = 100; epoch < 200; ++epoch) {     // rolled out over five epochs
        epochs.push_back(epoch_of_size(epoch, epoch < 105 ? 1 + epoch - 100 : 100'000));
    }
    epochs.push_back(epoch_of_size(206, 1));
    epochs.push_back(epoch_of_size(207, 1));
    const epoch_choice chosen = choose_epochs(epochs, {1000, 7});
    EXPECT_EQ(chosen.stray, (std::set<std::uint32_t>{0, 207}));
    EXPECT_EQ(chosen.stray_reports, 901u);
    EXPECT_EQ(chosen.each.size(), 101u);
    EXPECT_TRUE(chosen.old.empty());
    const epoch_choice few = choose_epochs(epochs, {12, 0});
    EXPECT_EQ(few.each.front().epoch, 188u);
    EXPECT_EQ(few.each.back().epoch, 199u);
    EXPECT_EQ(few.old.size(), 83u);
    EXPECT_EQ(few.old_reports, 83u * 100'000);
    EXPECT_EQ(few.stray.size(), 8u);
    EXPECT_TRUE(choose_epochs({}, {12, 0}).each.empty());
}

// Remarks on forged epochs push neither another metric's nor a doubt out.
TEST(RemarkList, IsBoundedByMetricAndKind) {
    metric forged, other;
    forged.name = "forged";
    other.name = "other";
    remark_list said;
    for (std::uint32_t epoch = 0; epoch < 500; ++epoch) {
        said.read(forged, epoch);
        said.add(forged, epoch, "remark " + std::to_string(epoch));
        said.add(forged, epoch, "doubt " + std::to_string(epoch), remark_list::kind::doubt);
    }
    said.add(other, 7, "doubt", remark_list::kind::doubt);
    said.add(other, 7, "remark");
    const std::vector<std::string> lines = said.lines();
    ASSERT_EQ(lines.size(), 2u * (20 + 1 + 1));
    EXPECT_EQ(lines[0], "forged, epoch 0: doubt 0");
    EXPECT_EQ(lines[20], "other: doubt");
    EXPECT_EQ(lines[21], "forged, epochs 20 to 499: 480 more remarks that counts are not what "
                         "honest devices send; --epoch E makes only those of one");
    EXPECT_EQ(lines[42], "other: remark");
    EXPECT_EQ(lines[43], "forged, epochs 20 to 499: 480 more remarks; --epoch E makes only those "
                         "of one");
}

TEST(Text, NumbersForPeople) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1204311), "1,204,311");
    EXPECT_EQ(counted(1, "report"), "1 report");
    EXPECT_EQ(counted(1000, "report"), "1,000 reports");
    EXPECT_EQ(bytes_text(999), "999 B");
    EXPECT_EQ(bytes_text(1300), "1.3 kB");
    EXPECT_EQ(bytes_text(640000), "640 kB");
    EXPECT_EQ(bytes_text(999999), "1.0 MB");
    EXPECT_EQ(seconds_text(0.12), "0.1 s");
    EXPECT_EQ(seconds_text(41.2), "41 s");
    EXPECT_EQ(seconds_text(200), "3 min 20 s");
    EXPECT_EQ(in_quotes("a\nb"), "\"a\\x0ab\"");
    EXPECT_EQ(in_quotes("\xc2\x9bm\xe2\x80\xae"), "\"\\xc2\\x9bm\\xe2\\x80\\xae\"");
    EXPECT_EQ(in_quotes("\xc2\xa0\xe2\x80\x94\xc2"), "\"\xc2\xa0\xe2\x80\x94\xc2\"");
    EXPECT_FALSE(from_hex("abc"));
    EXPECT_FALSE(from_hex("0x"));
    EXPECT_EQ(from_hex("aB01"), (std::vector<std::uint8_t>{0xab, 1}));
}

} // namespace
} // namespace sotto::aggregator::test
