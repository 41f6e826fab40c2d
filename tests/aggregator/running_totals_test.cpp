// SPDX-License-Identifier: Apache-2.0
// Counters that publish a running total: what is read, what it estimates, how often it is right.
#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/mechanism/totals_apart.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "counter_fleet.hpp"
#include "run_program.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

const registry &totals() {
    static const registry known = parse_registry(read_file(SOTTO_TOTALS), "M.json");
    return known;
}
const metric &get(const char *name) { return *totals().find(name); }
const sums_over_time &sums_of(const metric &m) { return *mechanism_of(m).over_time(m); }

std::string complaint(const char *name, const std::function<void(json &)> &change) {
    json document = json::parse(read_file(SOTTO_TOTALS));
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

TEST(RunningTotals, AreReadFromTheRegistry) {
    EXPECT_EQ(sums_of(get("steps")).block, 4u);
    EXPECT_EQ(sums_of(get("steps")).total(), 3u) << "the block and two levels";
    EXPECT_EQ(sums_of(get("doors")).block, 4u);
    EXPECT_EQ(sums_of(get("doors")).total(), 2u);
    EXPECT_EQ(sums_of(get("heat")).block, 12u);
    EXPECT_EQ(get("heat").value_words, 1u);
    EXPECT_EQ(losses_by_age(get("doors")).size(), 1u);
}

TEST(RunningTotals, AreRefusedWhereTheirNumbersContradict) {
    const auto block = [](std::uint32_t epochs) {
        return [epochs](json &m) { m["table"]["block"] = epochs; };
    };
    for (const char *name : {"steps", "doors"}) {
        EXPECT_NE(complaint(name, block(3)).find("table.classes: not those of"), std::string::npos);
        EXPECT_NE(complaint(name, block(5)).find("table.classes: not those of"), std::string::npos);
        EXPECT_NE(complaint(name, block(0)).find("table.block"), std::string::npos);
        EXPECT_NE(complaint(name, [](json &m) { m["table"].erase("block"); }).find("no block"),
                  std::string::npos);
        EXPECT_NE(complaint(name, [](json &m) { m["strategy"] = "tree"; }).find("has none"),
                  std::string::npos);
        EXPECT_EQ(complaint(name, block(4)), "accepted");
    }
    EXPECT_NE(complaint("steps", [](json &m) { m["strategy"] = "balanced"; }).find("classes"),
              std::string::npos);
}

// Balanced ternary, by hand: 1, 3-1, 3, 3+1.
TEST(RunningTotals, HaveTheNoisesOfTheirDigits) {
    const sums_over_time &doors = sums_of(get("doors"));
    for (const auto &[epoch, noises] :
         {std::pair{0u, 1u}, {1u, 2u}, {2u, 1u}, {3u, 2u}, {4u, 1u}}) {
        EXPECT_EQ(doors.noises(epoch), noises) << epoch;
    }
    EXPECT_EQ(sums_of(get("steps")).noises(2), 3u);
    for (const char *name : {"steps", "doors", "heat"}) {
        const sums_over_time &sums = sums_of(get(name));
        double noises = 0;
        for (std::uint32_t epoch = 0; epoch < sums.block; ++epoch) {
            noises += sums.noises(epoch);
        }
        EXPECT_NEAR(noises / sums.block, sums.usual_noises(), 1e-12) << name;
    }
}

// Rows as a textbook has them: by level, the signed numbers of the rows that make the total of so
// many epochs.
std::map<std::pair<std::uint32_t, std::int64_t>, int> rows_of_total(std::int64_t epochs,
                                                                    std::int64_t base) {
    std::map<std::pair<std::uint32_t, std::int64_t>, int> rows;
    for (std::uint32_t level = 0; epochs != 0; ++level) {
        std::int64_t above = epochs / base;
        above += epochs % base > base / 2 ? 1 : 0;
        for (std::int64_t row = above * base; row < epochs; ++row) {
            rows[{level, row}] = 1;
        }
        for (std::int64_t row = epochs; row < above * base; ++row) {
            rows[{level, row}] = -1;
        }
        epochs = above;
    }
    return rows;
}

TEST(RunningTotals, HaveDifferencesOfTheRowsThatTheyDoNotShare) {
    for (const auto &[name, base] : {std::pair{"doors", 3}, {"heat", 5}}) {
        const sums_over_time &sums = sums_of(get(name));
        for (std::uint32_t after = 0; after < sums.block; ++after) {
            for (std::uint32_t before = 0; before < after; ++before) {
                auto apart = rows_of_total(after + 1, base);
                for (const auto &[row, sign] : rows_of_total(before + 1, base)) {
                    apart[row] -= sign;
                }
                std::uint32_t noises = 0;
                for (const auto &[row, times] : apart) {
                    noises += static_cast<std::uint32_t>(times * times);
                }
                EXPECT_EQ(noises_between(sums, before, after), noises) << before << ", " << after;
            }
        }
    }
    // The epochs' nodes of one and of two epochs; that of the block is the same.
    EXPECT_EQ(noises_between(sums_of(get("steps")), 0, 1), 2u);
    EXPECT_EQ(noises_between(sums_of(get("steps")), 1, 2), 4u);
}

// By place in the block.
coverages cover_totals(const metric &m, const fleet_of_counters &lived, std::uint32_t window,
                       int repetitions) {
    const std::uint32_t block = sums_of(m).block;
    coverages found;
    for (int i = 0; i < repetitions; ++i) {
        std::mt19937 random(2000U + static_cast<unsigned>(i));
        tallies counts;
        const truths truth = fill(totals(), counts, m, lived, random);
        for (const estimate_row &at : estimates_of(m, counts, {.window = window, .decay = {}})) {
            const auto &name = std::get<std::string>(at.value);
            const std::uint32_t place = *at.epoch % block + 1;
            EXPECT_EQ(at.summed->epochs, name == "running total"
                                             ? place
                                             : std::min(window, *at.epoch - lived.first + 1));
            double sum = 0;
            for (std::uint32_t e = *at.epoch + 1 - at.summed->epochs; e <= *at.epoch; ++e) {
                sum += truth.sum.at(e);
            }
            found[name + ", " + std::to_string(place)].add(at.summed->total, sum);
        }
    }
    return found;
}

// At a place of the block, 7,000 intervals of 95 %. Totals have noise of their own each. Windows
// are wider than a block, or within it.
void expect_totals_covered(const char *name, std::uint32_t window) {
    const metric &m = get(name);
    const std::uint32_t places = sums_of(m).block;
    const coverages found = cover_totals(m, {.devices = 8, .epochs = 24, .first = 24}, window,
                                         static_cast<int>(repetitions_of_95 * places / 24));
    EXPECT_EQ(found.size(), 2 * places);
    for (const auto &[place, at] : found) {
        EXPECT_GE(at.pairs, repetitions_of_95 - places) << place;
        EXPECT_GT(at.held / at.pairs, 0.93) << name << ", " << place;
        EXPECT_LT(at.held / at.pairs, 0.97) << name << ", " << place;
        EXPECT_NEAR(at.z_squares / at.pairs, 1, 0.25) << name << ", " << place;
    }
}

TEST(RunningTotals, AreCoveredAsTheySay) {
    expect_totals_covered("steps", 1);
    expect_totals_covered("doors", 6);
    expect_totals_covered("heat", 7);
}

TEST(RunningTotals, SayThatSumsDoNotFade) {
    tallies counts;
    std::mt19937 random(1);
    (void)fill(totals(), counts, get("doors"), {.devices = 3, .epochs = 8}, random);
    std::vector<remark_content> remarks;
    const auto rows = estimates_of(get("doors"), counts, {.window = {}, .decay = 0.5}, &remarks);
    EXPECT_EQ(rows.size(), 8u);
    EXPECT_EQ(std::get<std::string>(rows[0].value), "running total");
    EXPECT_TRUE(std::holds_alternative<total_on_device>(remarks.back()));
}

TEST(RunningTotals, SayWhereDevicesAreLost) {
    const metric &m = get("doors");
    const auto remarks_of = [&](std::uint32_t lost_from) {
        tallies counts;
        for (std::uint32_t epoch = 24; epoch < 32; ++epoch) { // two blocks
            report r;
            r.metric = m.id;
            r.epoch = epoch;
            r.value = number_list{static_cast<std::int32_t>(epoch % 4)};
            for (int device = epoch < lost_from ? 4 : 3; device > 0; --device) {
                count(totals(), counts, m, r);
            }
        }
        std::vector<remark_content> remarks;
        (void)estimates_of(m, counts, {}, &remarks);
        std::erase_if(remarks, [](const remark_content &r) {
            return !std::holds_alternative<totals_of_fewer>(r);
        });
        return remarks;
    };
    EXPECT_TRUE(remarks_of(32).empty());
    EXPECT_TRUE(remarks_of(28).empty()) << "of a new block it knows no more";
    const auto found = remarks_of(26);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(std::get<totals_of_fewer>(found[0]).fewer, 2u);
    EXPECT_EQ(std::get<totals_of_fewer>(found[0]).totals, 8u);
}

// Windows are differences: where the total before one is missing there is none, and a block that
// has none at all is left out.
TEST(RunningTotals, HaveWindowsWhereBothEndsAreKnown) {
    const metric &m = get("doors");
    tallies counts;
    report r;
    r.metric = m.id;
    for (const std::uint32_t epoch : {24u, 26u, 27u, 32u}) { // the block from 28 is missing
        r.epoch = epoch;
        r.value = number_list{static_cast<std::int32_t>(10 * epoch)};
        count(totals(), counts, m, r);
    }
    std::map<std::uint32_t, std::pair<double, std::uint32_t>> windows; // value, epochs
    for (const estimate_row &row : estimates_of(m, counts, {.window = 1, .decay = {}})) {
        if (std::get<std::string>(row.value) == "window 1") {
            windows[*row.epoch] = {row.result.value, row.summed->epochs};
        }
    }
    EXPECT_EQ(windows, (decltype(windows){{24, {240, 1}}, {27, {10, 1}}, {32, {320, 1}}}));
    for (const estimate_row &row : estimates_of(m, counts, {.window = 6, .decay = {}})) {
        if (*row.epoch == 32 && std::get<std::string>(row.value) == "window 6") {
            EXPECT_EQ(row.result.value, 320 + 10) << "epoch 32, and 27 by the total of 26";
            EXPECT_EQ(row.summed->epochs, 2u);
        }
    }
}

// A total of four busy epochs is no forgery; as much in the first is.
TEST(RunningTotals, DropWhatIsNotPlausibleByThen) {
    metric m = get("doors");
    std::get<noised_sum_table>(m.table).plausible_max = 1000;
    tallies counts;
    report r;
    r.metric = m.id;
    r.value = number_list{4000};
    for (const std::uint32_t epoch : {4u, 7u}) {
        r.epoch = epoch;
        count(totals(), counts, m, r);
    }
    std::vector<remark_content> remarks;
    const auto rows = estimates_of(m, counts, {}, &remarks);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(*rows[0].epoch, 7u);
    EXPECT_EQ(rows[0].summed->total.value, 4000);
    EXPECT_EQ(std::get<implausible_sums>(remarks.at(0)).dropped, 1u);
}

TEST(RunningTotals, GoThroughTheProgram) {
    temporary_directory in;
    (void)in.file("M.json", read_file(SOTTO_TOTALS));
    std::string events = "device,day\n";
    for (int day = 0; day < 24; ++day) {
        for (int d = 0; d < 10; ++d) {
            events += "d" + std::to_string(d) + "," + std::to_string(7200 + day) + "\n";
        }
    }
    (void)in.file("events.csv", events);
    for (const char *command :
         {"simulate --registry M.json --input events.csv --device device --epoch-column day --map "
          "steps,doors,heat --seed 00 --out r.bin",
          "inspect --registry M.json r.bin", "ingest --registry M.json --store S r.bin --strict",
          "epsilon --registry M.json", "epsilon --registry M.json --format json",
          "epsilon --registry M.json --horizon 30", "estimate --registry M.json --store S",
          "estimate --registry M.json --store S --coalition 2 --format html",
          "estimate --registry M.json --store S --window 7 --format csv"}) {
        const program_result found = run_program(in, command);
        EXPECT_EQ(found.exit, 0) << command << ": " << found.err;
    }
    const json rows = json::parse(
        run_program(in, "estimate --registry M.json --store S --metric heat --format json").out);
    const json &last = rows.back();
    EXPECT_EQ(last["value"], "running total");
    EXPECT_EQ(last["epochs"], 12);
    // There are 120 events; the last epoch of a block adds two rows of each of two levels, 10
    // devices.
    EXPECT_NEAR(last["total"], 120, 9 * last["total_std_error"].get<double>());
}

} // namespace
} // namespace sotto::aggregator::test
