// SPDX-License-Identifier: Apache-2.0
// Counters from the device's core to the host's estimate: what is sent, what is counted, and how
// often intervals hold the truth.
#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/promise/event_words.hpp"
#include "aggregator/promise/horizon.hpp"
#include "counter_fleet.hpp"
#include "run_program.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

const registry &counters() {
    static const registry known = parse_registry(read_file(SOTTO_COUNTERS), "M.json");
    return known;
}
const metric &get(const char *name) { return *counters().find(name); }
const sums_over_time &sums_of(const metric &m) { return *mechanism_of(m).over_time(m); }

std::string complaint(const std::function<void(json &)> &change, const char *name = "doors") {
    json document = json::parse(read_file(SOTTO_COUNTERS));
    for (json &record : document["metrics"]) {
        if (record["name"] == name) {
            change(record);
        }
    }
    try {
        (void)parse_registry(document.dump(), "M.json");
    } catch (const usage_error &error) {
        return error.what();
    }
    return "accepted";
}

TEST(Counters, AreReadFromTheRegistry) {
    const sums_over_time &doors = sums_of(get("doors"));
    EXPECT_EQ(doors.strategy, "tree");
    EXPECT_EQ(doors.event, 3u);
    EXPECT_EQ(doors.classes.size(), 3u);
    EXPECT_EQ(doors.classes[2].span(), 4u);
    EXPECT_EQ(doors.total(), 3u);
    EXPECT_FALSE(doors.is_decayed());
    const sums_over_time &heat = sums_of(get("heat"));
    EXPECT_TRUE(heat.is_decayed());
    EXPECT_EQ(heat.classes[0].weights, (std::vector<std::uint16_t>{4, 2, 1}));
    EXPECT_EQ(get("flag").levels.size(), 1u);
    EXPECT_EQ(mechanism_of(get("flag")).over_time(get("flag")), nullptr);
    EXPECT_EQ(get("doors").value_words, 3u);
}

TEST(Counters, AreRefusedWhereTheirNumbersContradict) {
    using change = std::function<void(json &)>;
    const std::pair<change, const char *> cases[] = {
        {[](json &m) { m["table"]["event"] = 4; }, "does not follow from"},
        {[](json &m) { m["table"]["event"] = 65537; }, "table.event"},
        {[](json &m) { m["table"]["classes"][2]["step"] = 3; }, "whole shorter rows"},
        {[](json &m) { m["table"]["classes"][0]["step"] = 2; }, "whole shorter rows"},
        {[](json &m) { m["table"]["classes"][1]["rows"] = 2; }, "rows that overlap"},
        {[](json &m) {
             m["table"]["classes"][1]["weights"] = {1, 1};
         },
         "rows that overlap"},
        {[](json &m) { m["table"]["classes"][1]["weights"] = {1}; }, "the epochs of a row"},
        {[](json &m) { m["table"]["classes"] = json::array(); }, "table.classes"},
        {[](json &m) { m["table"]["noise"][0]["digits"].erase(9); }, "too few digits"},
        {[](json &m) { m["table"]["noise"][0]["nonzero"] = "17422977999125"; }, "nonzero"},
        {[](json &m) { m["plausible_max"] = 0; }, "plausible_max"},
        {[](json &m) { m["strategy"] = "root"; }, "\"root\" is not known; known: identity, tree"},
        {[](json &m) { m["strategy"] = "balanced"; }, "no block of epochs"},
        {[](json &m) { m["table"]["block"] = 16; }, "a block: the strategy has none"},
        {[](json &m) { m["type"] = "integer"; }, "noised_sum"},
    };
    for (const auto &[how, what] : cases) {
        const std::string found = complaint(how);
        EXPECT_NE(found.find(what), std::string::npos) << what << ": " << found;
        EXPECT_EQ(found.find('\n'), std::string::npos);
    }
    EXPECT_EQ(complaint([](json &m) { m["plausible_max"] = 1000; }), "accepted");
}

// --- reports of a device

report counted_report(std::uint32_t epoch, std::size_t numbers) {
    report r;
    r.metric = 2;
    r.epoch = epoch;
    r.value = number_list(numbers, 5);
    return r;
}

TEST(Counters, HaveAsManyNumbersAsRowsCanClose) {
    for (std::uint32_t epoch = 0; epoch < 8; ++epoch) {
        const std::size_t most = epoch % 4 == 3 ? 3 : epoch % 2 == 1 ? 2 : 1;
        EXPECT_EQ(sums_of(get("doors")).closing(epoch), most);
        for (std::size_t numbers = 0; numbers <= 4; ++numbers) {
            const auto found = check_report(counted_report(epoch, numbers), counters());
            EXPECT_EQ(std::holds_alternative<const metric *>(found),
                      numbers >= 1 && numbers <= most)
                << epoch << ", " << numbers;
        }
    }
}

// --- the tally

TEST(Counters, AreTalliedByRowAndSize) {
    const metric &m = get("doors");
    tallies counts;
    count(counters(), counts, m, counted_report(3, 3));
    count(counters(), counts, m, counted_report(3, 1));
    report far = counted_report(3, 2);
    far.value = number_list{-7, INT32_MIN};
    count(counters(), counts, m, far);
    const epoch_tally &tally = counts.at(3);
    const level_tally &at = tally.highest[0];
    EXPECT_EQ(at.reports, 3u);
    const row_sums &fives = at.rows[3];
    EXPECT_EQ(fives.reports, 3u); // three bits each: 5, 5 and -7
    EXPECT_EQ(fives.sum, 3);
    EXPECT_EQ(fives.squares(), 99);
    EXPECT_EQ(at.rows[row_sums::sizes + 32].reports, 1u);
    EXPECT_EQ(at.rows[row_sums::sizes + 32].squares(), 0x1p62);
    EXPECT_EQ(at.rows[2 * row_sums::sizes + 3].sum, 5);
    const auto bytes = tally_bytes(tally);
    const auto again = read_tally(m, bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(tally_bytes(*again), bytes);
    epoch_tally twice = tally;
    add(twice, tally);
    EXPECT_EQ(twice.highest[0].rows[3].sum, 6);
    EXPECT_EQ(counted_rows(twice), 6u);
    EXPECT_TRUE(is_possible(m, twice));
}

TEST(Counters, HaveNoTallyThatContradictsItself) {
    const metric &m = get("doors");
    tallies counts;
    count(counters(), counts, m, counted_report(3, 3));
    const auto wrong = [&](const std::function<void(level_tally &)> &change) {
        epoch_tally tally = counts.at(3);
        change(tally.highest[0]);
        return !is_possible(m, tally) && !read_tally(m, tally_bytes(tally));
    };
    EXPECT_FALSE(wrong([](level_tally &) {}));
    EXPECT_TRUE(wrong([](level_tally &t) { ++t.reports; }));
    EXPECT_TRUE(wrong([](level_tally &t) { ++t.rows[row_sums::sizes + 3].reports; }));
    EXPECT_TRUE(wrong([](level_tally &t) { t.rows[3].sum = 100; }));
    EXPECT_TRUE(wrong([](level_tally &t) { t.rows[3].squares_low = 1; }));
    EXPECT_TRUE(wrong([](level_tally &t) { t.rows[3].squares_high = 1; }));
    EXPECT_TRUE(wrong([](level_tally &t) { t.rows[4].sum = 1; }));
}

// --- estimates

TEST(Counters, AreCoveredAsTheySayTree) {
    const series_request request = {.window = 5, .decay = 0.9, .smoothed = true};
    const coverages sums =
        cover(counters(), get("doors"), {.devices = 8, .epochs = 8}, request, repetitions_of_95);
    EXPECT_EQ(sums.size(), 16u);
    expect_covered(sums);
    // Squares tell as 7,000 draws do.
    for (const auto &[name, found] : sums) {
        EXPECT_NEAR(std::sqrt(found.z_squares / found.pairs), 1, 0.08) << name;
    }
}

TEST(Counters, AreCoveredAsTheySayIdentity) {
    const coverages sums = cover(counters(), get("steps"), {.devices = 8, .epochs = 8},
                                 {.window = 5, .decay = 0.5}, repetitions_of_95);
    EXPECT_EQ(sums.size(), 8u);
    expect_covered(sums);
}

TEST(Counters, AreCoveredAsTheySayWeights) {
    const coverages sums = cover(counters(), get("heat"), {.devices = 8, .epochs = 6},
                                 {.window = {}, .decay = 0.5}, repetitions_of_95);
    EXPECT_EQ(sums.size(), 2u);
    expect_covered(sums);
}

// Fewer devices have the longer rows, and differ: intervals hold at least what they say.
TEST(Counters, AreCoveredWhereDevicesRestart) {
    std::vector<remark_content> remarks;
    tallies counts;
    std::mt19937 random(5);
    const fleet_of_counters fleet = {.devices = 8, .epochs = 8, .restart = true};
    (void)fill(counters(), counts, get("doors"), fleet, random);
    (void)estimates_of(get("doors"), counts, {}, &remarks);
    ASSERT_EQ(remarks.size(), 2u); // the other: no plausible_max
    EXPECT_TRUE(std::holds_alternative<rows_of_fewer>(remarks[1]));
    expect_covered(
        cover(counters(), get("doors"), fleet, {.window = 5, .decay = {}}, repetitions_of_95), 0.93,
        1);
}

TEST(Counters, OfWeightsAreSumsThatTheDeviceDecayed) {
    const metric &m = get("heat");
    tallies counts;
    std::mt19937 random(3);
    const fleet_of_counters fleet = {.devices = 400, .epochs = 12};
    const truths truth = fill(counters(), counts, m, fleet, random);
    std::vector<remark_content> remarks;
    const auto rows = estimates_of(m, counts, {.window = 7, .decay = {}}, &remarks);
    ASSERT_EQ(rows.size(), 10u) << "three epochs make a row";
    EXPECT_TRUE(std::holds_alternative<decayed_on_device>(remarks.back()));
    for (const estimate_row &row : rows) {
        const std::uint32_t e = *row.epoch;
        const double sum = truth.sum.at(e) + truth.sum.at(e - 1) / 2 + truth.sum.at(e - 2) / 4;
        EXPECT_LT(std::abs(row.summed->total.value - sum), 7 * row.summed->total.std_error)
            << "10 rows of 400 draws: once in 10^9";
        EXPECT_LT(row.summed->total.std_error, 0.1 * sum);
    }
}

// By the definition: ranges begin no later than a total, and the largest of their least means
// counts.
TEST(Counters, HaveTotalsMadeMonotone) {
    tallies counts;
    std::mt19937 random(12);
    (void)fill(counters(), counts, get("doors"), {.devices = 1, .epochs = 40}, random);
    std::vector<double> totals, monotone;
    for (const estimate_row &row :
         estimates_of(get("doors"), counts, {.window = {}, .decay = 0.5})) {
        const bool is_prefix = std::get<std::string>(row.value) == "prefix";
        ASSERT_EQ(row.monotone.has_value(), is_prefix);
        if (is_prefix) {
            totals.push_back(row.result.value);
            monotone.push_back(*row.monotone);
        }
    }
    ASSERT_EQ(totals.size(), 40u);
    EXPECT_FALSE(std::ranges::is_sorted(totals)) << "noise alone falls";
    EXPECT_TRUE(std::ranges::is_sorted(monotone));
    for (std::size_t at = 0; at < totals.size(); ++at) {
        double most = 0; // no total is below it
        for (std::size_t first = 0; first <= at; ++first) {
            double least = HUGE_VAL, sum = 0;
            for (std::size_t last = first; last < totals.size(); ++last) {
                sum += totals[last];
                least = last < at ? least
                                  : std::min(least, sum / static_cast<double>(last - first + 1));
            }
            most = std::max(most, least);
        }
        EXPECT_NEAR(monotone[at], most, 1e-9) << at;
    }
}

// One forged number of 2^31 among few: gone with plausible_max, and said.
TEST(Counters, DropWhatIsNotPlausible) {
    metric m = get("doors");
    tallies counts;
    std::mt19937 random(4);
    const fleet_of_counters fleet = {.devices = 10, .epochs = 8};
    const truths truth = fill(counters(), counts, m, fleet, random);
    report forged = counted_report(fleet.first, 1);
    forged.value = number_list{INT32_MAX};
    count(counters(), counts, m, forged);
    std::vector<remark_content> remarks;
    EXPECT_GT(estimates_of(m, counts, {}, &remarks).front().summed->total.value, 1e9);
    ASSERT_EQ(remarks.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<sums_without_bound>(remarks[0]));

    std::get<noised_sum_table>(m.table).plausible_max = 100;
    remarks.clear();
    const estimated total = estimates_of(m, counts, {}, &remarks).front().summed->total;
    EXPECT_LT(std::abs(total.value - truth.sum.at(fleet.first)), 9 * total.std_error)
        << "10 draws, of heavier tails than a normal law: once in 10^9";
    EXPECT_EQ(total.reports, 10u);
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_EQ(std::get<implausible_sums>(remarks[0]).dropped, 1u);
}

// Nine honest devices, and one more in epochs 16 to 23, whose numbers are as far out as still
// counts. With a limit of 1,000 that is 2,047 in an epoch, 4,095 in two, 8,191 in four.
tallies with_a_forger(const metric &m, const std::function<int(std::size_t)> &sign) {
    tallies counts;
    std::mt19937 random(8);
    (void)fill(counters(), counts, m, {.devices = 9, .epochs = 8}, random);
    std::size_t number = 0;
    for (std::uint32_t epoch = 16; epoch < 24; ++epoch) {
        report forged = counted_report(epoch, 1);
        number_list numbers;
        for (const int most : {2047, 4095, 8191}) {
            if ((epoch + 1) % static_cast<std::uint32_t>((most + 1) / 2048) == 0) {
                numbers.push_back(sign(number++) * most);
            }
        }
        forged.value = numbers;
        count(counters(), counts, m, forged);
    }
    return counts;
}

TEST(Counters, SayHowFarAForgerMovesEachSum) {
    metric m = get("doors");
    std::get<noised_sum_table>(m.table).plausible_max = 1000;
    const series_request request = {.window = 7, .decay = 0.9, .smoothed = true, .coalition = 1};
    std::map<std::string, double> nearest;
    std::mt19937 random(9);
    for (int i = 0; i < 300; ++i) {
        std::vector<int> signs(16);
        std::ranges::generate(signs, [&] { return random() % 2 == 0 ? 1 : -1; });
        const auto chosen = [&](std::size_t at) { return signs[at]; };
        const auto opposite = [&](std::size_t at) { return -signs[at]; };
        const auto before = estimates_of(m, with_a_forger(m, chosen), request);
        const auto after = estimates_of(m, with_a_forger(m, opposite), request);
        ASSERT_EQ(before.size(), after.size());
        for (std::size_t row = 0; row < before.size(); ++row) {
            const double moved = std::abs(after[row].result.value - before[row].result.value);
            ASSERT_TRUE(before[row].coalition);
            EXPECT_EQ(before[row].coalition->reports, 1u);
            EXPECT_LE(moved, before[row].coalition->shift) << row;
            double &most = nearest[std::get<std::string>(before[row].value)];
            most = std::max(most, moved / before[row].coalition->shift);
        }
    }
    EXPECT_EQ(nearest.size(), 8u);
    for (const auto &[name, most] : nearest) {
        std::printf("%-18s moved by %.2f of what is said\n", name.c_str(), most);
        EXPECT_GT(most, 0.5) << name;
    }
}

// A row of four epochs holds four times as much as one.
TEST(Counters, KeepLongRowsOfBusyDevices) {
    metric m = get("doors");
    std::get<noised_sum_table>(m.table).plausible_max = 1000;
    tallies counts;
    for (const auto &[epoch, numbers] : {std::pair{16u, number_list{1000}},
                                         {17u, number_list{1000, 2000}},
                                         {18u, number_list{1000}},
                                         {19u, number_list{1000, 2000, 4000}}}) {
        report busy = counted_report(epoch, 1);
        busy.value = numbers;
        count(counters(), counts, m, busy);
    }
    std::vector<remark_content> remarks;
    const auto rows = estimates_of(m, counts, {}, &remarks);
    EXPECT_TRUE(remarks.empty());
    EXPECT_NEAR(rows.back().summed->total.value, 4000, 1e-6);
    EXPECT_LT(rows.back().summed->total.std_error, 12.6) << "of less noise than one row";
}

TEST(Counters, SayWhichEpochsAreMissing) {
    const metric &m = get("steps");
    tallies counts;
    std::mt19937 random(6);
    const truths truth = fill(counters(), counts, m, {.devices = 10, .epochs = 8}, random);
    counts.erase(18);
    counts.erase(19);
    std::vector<remark_content> remarks;
    const auto rows = estimates_of(m, counts, {.window = 4, .decay = {}}, &remarks);
    ASSERT_EQ(remarks.size(), 2u);
    EXPECT_EQ(std::get<epochs_without_reports>(remarks[1]).epochs, 2u);
    EXPECT_EQ(std::get<epochs_without_reports>(remarks[1]).first, 18u);
    const estimate_row &last = rows[rows.size() - 1];
    EXPECT_EQ(std::get<std::string>(last.value), "prefix");
    EXPECT_EQ(last.summed->epochs, 6u);
    EXPECT_EQ(rows[7].summed->epochs, 2u) << "the window of epochs 17 to 20";
}

// --- the promise

TEST(Counters, PromiseEventsApartFromValues) {
    EXPECT_EQ(event_in_words(get("doors")), "one event of at most 3 units");
    EXPECT_EQ(cost_of_event(counters()), 5u << 20); // 1 + 1 + 2 + 1
    EXPECT_EQ(spending_of(counters(), protected_unit::value).first, std::uint64_t{1} << 20);
    const std::vector<loss_by_age> ages = losses_by_age(get("heat"));
    ASSERT_EQ(ages.size(), 3u);
    EXPECT_NEAR(ages[0].epsilon, 2 * 4.0 / 7, 1e-12);
    EXPECT_NEAR(ages[1].epsilon, 2 * 6.0 / 7, 1e-12);
    EXPECT_NEAR(ages[2].epsilon, 2, 1e-12);
    EXPECT_EQ(losses_by_age(get("doors")).size(), 1u) << "at once, in the worst epoch";
}

TEST(Counters, HaveAColumnOfTheirOwnInAHorizon) {
    const horizon_table table = horizon_of(counters(), 10);
    for (const horizon_loss &loss : table.metrics) {
        const bool is_counter = loss.name != "flag";
        EXPECT_EQ(loss.protects == protected_unit::value, !is_counter) << loss.name;
        EXPECT_EQ(loss.event.has_value(), is_counter) << loss.name;
        EXPECT_EQ(loss.values.empty(), is_counter) << loss.name;
    }
    EXPECT_EQ(table.device.event, cost_of_event(counters()));
    EXPECT_EQ(table.device.values.front(), 1u << 20) << "of the flag alone";
}

} // namespace
} // namespace sotto::aggregator::test
