// SPDX-License-Identifier: Apache-2.0
// Counters from the device's core to the host's estimate: what is sent, what is counted, and how
// often intervals hold the truth.
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/series.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/promise/event_words.hpp"
#include "aggregator/promise/horizon.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/simulate/host_device.hpp"
#include "aggregator/tally/epoch_tally.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include "sotto_testing.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

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
        {[](json &m) { m["strategy"] = "balanced"; }, "\"balanced\" is not known; known: identity"},
        {[](json &m) {
             m["strategy"] = "pan_private";
             m["table"]["block"] = 16;
         },
         "\"pan_private\" is not known; known: identity"},
        {[](json &m) { m["type"] = "integer"; }, "noised_sum"},
    };
    for (const auto &[how, what] : cases) {
        const std::string found = complaint(how);
        EXPECT_NE(found.find(what), std::string::npos) << what << ": " << found;
        EXPECT_EQ(found.find('\n'), std::string::npos);
    }
    EXPECT_EQ(complaint([](json &m) { m["plausible_max"] = 1000; }), "accepted");
}

// --- what a device sends

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

// A device with these lives, one after the other, and what it sent.
std::vector<report> reports_of(const registry &known, std::uint64_t number,
                               const std::vector<std::pair<std::uint32_t, std::uint32_t>> &lives,
                               const std::vector<counted_event> &events) {
    static const tables in_flash(counters());
    std::vector<report> reports;
    for (std::size_t life = 0; life < lives.size(); ++life) {
        const auto [first, last] = lives[life];
        const std::uint8_t seed[] = {7, static_cast<std::uint8_t>(life)};
        sotto_testing random = {};
        sotto_testing_init(&random, seed, sizeof seed, number);
        device_life own = {number, {}};
        std::ranges::copy_if(events, std::back_inserter(own.events), [&](const counted_event &e) {
            return e.epoch >= first && e.epoch <= last;
        });
        host_device device(known, in_flash.get());
        (void)device.live(random.entropy, first, last, own, [&](std::string_view file) {
            while (const auto bytes = take_envelope(file)) {
                const auto b = std::get<batch>(
                    decode_batch(std::get<envelope>(decode_envelope(*bytes)).batch));
                EXPECT_TRUE(b.rejected.empty());
                reports.insert(reports.end(), b.reports.begin(), b.reports.end());
            }
        });
    }
    return reports;
}

using tallies = std::map<std::uint32_t, epoch_tally>;

void count(tallies &counts, const metric &m, const report &r) {
    ASSERT_TRUE(std::holds_alternative<const metric *>(check_report(r, counters())));
    auto &at = counts.try_emplace(r.epoch, empty_epoch_tally(m)).first->second;
    const row stored = row_of(m, r);
    ASSERT_TRUE(count_release(at.highest, m, 0, cohort_of(stored), value_of(stored)));
}

series_tallies first_levels(const tallies &counts) {
    series_tallies levels;
    for (const auto &[epoch, tally] : counts) {
        levels[epoch] = tally.highest.front();
    }
    return levels;
}

std::vector<estimate_row> estimates_of(const metric &m, const tallies &counts,
                                       const series_request &request,
                                       std::vector<remark_content> *remarks = nullptr) {
    return estimate_series(m, first_levels(counts), request, [&](remark_content content) {
        if (remarks != nullptr) {
            remarks->push_back(std::move(content));
        }
    });
}

// --- the tally

TEST(Counters, AreTalliedByRowAndSize) {
    const metric &m = get("doors");
    tallies counts;
    count(counts, m, counted_report(3, 3));
    count(counts, m, counted_report(3, 1));
    report far = counted_report(3, 2);
    far.value = number_list{-7, INT32_MIN};
    count(counts, m, far);
    const epoch_tally &tally = counts.at(3);
    const level_tally &at = tally.highest[0];
    EXPECT_EQ(at.reports, 3u);
    const row_sums &fives = at.rows[3];
    EXPECT_EQ(fives.reports, 3u); // of three bits: 5, 5 and -7
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
    count(counts, m, counted_report(3, 3));
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

struct fleet_of_counters {
    std::uint32_t devices = 4, epochs = 64, first = 16;
    bool restart = false;
};

struct truths {
    std::map<std::uint32_t, double> sum, devices; // by epoch, of those that counted
};

// Random streams; by device and metric, and one rate a device.
truths fill(tallies &counts, const metric &m, const fleet_of_counters &fleet,
            std::mt19937 &random) {
    truths truth;
    for (std::uint32_t d = 0; d < fleet.devices; ++d) {
        std::poisson_distribution<int> events(static_cast<double>(1 + random() % 4));
        std::vector<std::pair<std::uint32_t, std::uint32_t>> lives = {
            {fleet.first, fleet.first + fleet.epochs - 1}};
        if (fleet.restart && d % 2 == 0) { // the epoch of the restart is not counted
            const auto at =
                static_cast<std::uint32_t>(fleet.first + 2 + random() % (fleet.epochs - 4));
            lives = {{fleet.first, at - 1}, {at + 1, fleet.first + fleet.epochs - 1}};
        }
        std::vector<counted_event> own;
        for (const auto &[first, last] : lives) {
            for (std::uint32_t epoch = first; epoch <= last; ++epoch) {
                const int count = events(random);
                truth.sum[epoch] += count;
                ++truth.devices[epoch];
                own.insert(own.end(), static_cast<std::size_t>(count), {epoch, &m, 1});
            }
        }
        for (const report &r : reports_of(counters(), random(), lives, own)) {
            if (r.metric == m.id && r.epoch >= fleet.first) {
                count(counts, m, r);
            }
        }
    }
    return truth;
}

struct coverage {
    double held = 0, pairs = 0, z_squares = 0;

    void add(const estimated &found, double truth) {
        held += found.ci_low() <= truth && truth <= found.ci_high() ? 1 : 0;
        z_squares += std::pow((found.value - truth) / found.std_error, 2);
        ++pairs;
    }
};

// By the name of a sum, without a number.
using coverages = std::map<std::string, coverage>;

void compare(coverages &found, const std::vector<estimate_row> &rows, const truths &truth,
             const fleet_of_counters &fleet, const series_request &request) {
    for (const estimate_row &row : rows) {
        const auto &name = std::get<std::string>(row.value);
        const double rate = name.starts_with("decay") ? *request.decay : 1;
        const std::uint32_t epochs = name.starts_with("epoch")    ? 1
                                     : name.starts_with("window") ? *request.window
                                                                  : *row.epoch - fleet.first + 1;
        const std::uint32_t first = std::max(fleet.first, *row.epoch + 1 - epochs);
        double mean = 0, total = 0;
        for (std::uint32_t e = first; e <= *row.epoch; ++e) {
            const double weight = std::pow(rate, *row.epoch - e);
            mean += weight * truth.sum.at(e) / truth.devices.at(e);
            total += weight * truth.sum.at(e);
        }
        found[name].add(row.result, mean);
        found[name + ", total"].add(row.summed->total, total);
    }
}

coverages cover(const metric &m, const fleet_of_counters &fleet, const series_request &request,
                int repetitions) {
    coverages sums;
    for (int i = 0; i < repetitions; ++i) {
        std::mt19937 random(1000 + i);
        tallies counts;
        const truths truth = fill(counts, m, fleet, random);
        compare(sums, estimates_of(m, counts, request), truth, fleet, request);
    }
    return sums;
}

// The sums of a repetition share noise. They tell at least what 2.6 independent draws would, those
// of a tree 3.8. By Chernoff's bound 1,300 draws of intervals of 95 % hold 90 to 98.5 %, and 760 at
// least 88 %, but for 10^-9, all sums of a test together.
void expect_covered(const coverages &sums, double least, double most) {
    for (const auto &[name, found] : sums) {
        const double held = found.held / found.pairs,
                     spread = std::sqrt(found.z_squares / found.pairs);
        std::printf("%-28s %5.1f %% of %6.0f, errors of %.3f\n", name.c_str(), 100 * held,
                    found.pairs, spread);
        EXPECT_GE(held, least) << name;
        EXPECT_LE(held, most) << name;
    }
}

TEST(Counters, AreCoveredAsTheySayTree) {
    const series_request request = {.window = 7, .decay = 0.9, .smoothed = true};
    const coverages sums = cover(get("doors"), {.devices = 8, .epochs = 16}, request, 500);
    EXPECT_EQ(sums.size(), 16u);
    expect_covered(sums, 0.9, 0.985);
    // Squares tell as 2.5 draws do: 1,250 are further off once in 10^10, 16 sums together.
    for (const auto &[name, found] : sums) {
        EXPECT_NEAR(std::sqrt(found.z_squares / found.pairs), 1, 0.15) << name;
    }
}

TEST(Counters, AreCoveredAsTheySayIdentity) {
    const coverages sums =
        cover(get("steps"), {.devices = 8, .epochs = 16}, {.window = 7, .decay = 0.5}, 500);
    EXPECT_EQ(sums.size(), 8u);
    expect_covered(sums, 0.9, 0.985);
}

// Fewer devices have the longer rows, and differ: intervals hold at least what they say.
TEST(Counters, AreCoveredWhereDevicesRestart) {
    std::vector<remark_content> remarks;
    tallies counts;
    std::mt19937 random(5);
    const fleet_of_counters fleet = {.devices = 12, .epochs = 16, .restart = true};
    (void)fill(counts, get("doors"), fleet, random);
    (void)estimates_of(get("doors"), counts, {}, &remarks);
    ASSERT_EQ(remarks.size(), 2u); // the other: no plausible_max
    EXPECT_TRUE(std::holds_alternative<rows_of_fewer>(remarks[1]));
    expect_covered(cover(get("doors"), fleet, {.window = 6, .decay = {}}, 200), 0.88, 1);
}

TEST(Counters, OfWeightsAreSumsThatTheDeviceDecayed) {
    const metric &m = get("heat");
    tallies counts;
    std::mt19937 random(3);
    const fleet_of_counters fleet = {.devices = 400, .epochs = 12};
    const truths truth = fill(counts, m, fleet, random);
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

// One forged number of 2^31 among few: gone with plausible_max, and said.
TEST(Counters, DropWhatIsNotPlausible) {
    metric m = get("doors");
    tallies counts;
    std::mt19937 random(4);
    const fleet_of_counters fleet = {.devices = 10, .epochs = 8};
    const truths truth = fill(counts, m, fleet, random);
    report forged = counted_report(fleet.first, 1);
    forged.value = number_list{INT32_MAX};
    count(counts, m, forged);
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

TEST(Counters, SayWhichEpochsAreMissing) {
    const metric &m = get("steps");
    tallies counts;
    std::mt19937 random(6);
    const truths truth = fill(counts, m, {.devices = 10, .epochs = 8}, random);
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
    EXPECT_EQ(spending_of(counters()).first, std::uint64_t{1} << 20);
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
        EXPECT_EQ(loss.has_values, !is_counter) << loss.name;
        EXPECT_EQ(loss.event.has_value(), is_counter) << loss.name;
        EXPECT_EQ(loss.values.front(), is_counter ? 0u : 1u << 20) << loss.name;
    }
    EXPECT_EQ(table.device.event, cost_of_event(counters()));
    EXPECT_EQ(table.device.values.front(), 1u << 20) << "of the flag alone";
}

} // namespace
} // namespace sotto::aggregator::test
