// SPDX-License-Identifier: Apache-2.0
// Sorted points, from the device's core to estimates that rise.
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/plan/plan.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/statistics/rising.hpp"
#include "gateways.hpp"
#include "run_program.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

const registry &known() {
    static const registry sorted = parse_registry(read_file(SOTTO_SORTED), "M.json");
    return sorted;
}

std::string complaint(const std::function<void(json &)> &change) {
    json document = json::parse(read_file(SOTTO_SORTED));
    change(document["metrics"][1]);
    try {
        (void)parse_registry(document.dump(), "M.json");
    } catch (const usage_error &error) {
        return error.what();
    }
    return "accepted";
}

TEST(SortedPoints, AreReadFromTheRegistry) {
    const metric &few = *known().find("few");
    const mechanism &how = mechanism_of(few);
    EXPECT_EQ(how.protects(few), protected_unit::source);
    EXPECT_EQ(few.l1_sensitivity, 4u);
    const point_moves by = *how.moves(few);
    EXPECT_EQ(by.delta, 2u);
    EXPECT_EQ(by.width, 10u);
    EXPECT_EQ(by.sources, 2u);
    EXPECT_NEAR(by.whole, 5, 1e-12);
    EXPECT_NEAR(how.loss(few, few.law(0)), 0.5, 1e-9);
    EXPECT_NEAR(*how.unit_epsilon(few, few.law(0)), 0.125, 1e-9);
}

TEST(SortedPoints, AreRefusedWhereTheirNumbersContradict) {
    const auto has = [](const std::function<void(json &)> &change, const char *what) {
        const std::string found = complaint(change);
        EXPECT_NE(found.find(what), std::string::npos) << found;
    };
    EXPECT_EQ(complaint([](json &) {}), "accepted");
    has([](json &m) { m["l1_sensitivity"] = 3; }, "is not delta of each of the sources' points");
    has([](json &m) { m["l1_sensitivity"] = 6, m["delta"] = 3; }, "does not follow from");
    has([](json &m) { m["delta"] = 11; }, "delta");
    has([](json &m) { m["sources"] = 4; }, "sources");
    has([](json &m) { m["length"] = 257; }, "length");
    has([](json &m) { m["max"] = -5; }, "max");
}

// By definition: the least over ends of the greatest over begins of means, and the other way round.
TEST(SortedPoints, RiseByLeastSquares) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> numbers(1 + random() % 9);
        for (double &number : numbers) {
            number = static_cast<double>(random() % 7);
        }
        const std::vector<double> found = rising(numbers);
        ASSERT_EQ(found.size(), numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            double greatest = -1;
            for (std::size_t a = 0; a <= i; ++a) {
                double least = 8;
                for (std::size_t b = i; b < numbers.size(); ++b) {
                    double sum = 0;
                    for (std::size_t k = a; k <= b; ++k) {
                        sum += numbers[k];
                    }
                    least = std::min(least, sum / static_cast<double>(b - a + 1));
                }
                greatest = std::max(greatest, least);
            }
            EXPECT_NEAR(found[i], greatest, 1e-12);
        }
    }
    EXPECT_TRUE(rising({}).empty());
}

// 7,000 intervals of 95 % hold 93 to 97 %, but for 10^-11 (Chernoff).
TEST(SortedPoints, AreCoveredAsTheySay) {
    gateways fleet(known());
    const metric &m = *known().find("few");
    std::mt19937 random(9);
    double held = 0;
    constexpr int repetitions = 7000, reports = 4;
    for (int i = 0; i < repetitions; ++i) {
        metric_tally tally = empty_tally(m);
        const std::size_t at = random() % 3;
        double truth = 0;
        for (int g = 0; g < reports; ++g) {
            std::vector<std::int32_t> points(3);
            for (std::int32_t &point : points) {
                point = static_cast<std::int32_t>(random() % 11) - 5;
            }
            fleet.count(tally.front(), m, points, static_cast<std::uint64_t>(i * reports + g));
            std::sort(points.begin(), points.end());
            truth += points[at] / static_cast<double>(reports);
        }
        held += holds(mechanism_of(m).estimate(m, tally, laws_of(m), at), truth);
    }
    std::printf("intervals that hold: %.2f %%\n", 100 * held / repetitions);
    EXPECT_GE(held, 0.93 * repetitions);
    EXPECT_LE(held, 0.97 * repetitions);
}

// docs/STREAMS.md has these numbers: the median of one gateway's 101 points, beside .0053 of the
// range by a quantile's metric. Bounds are 6.2 standard errors.
TEST(SortedPoints, AreAsExactAsTheTable) {
    gateways fleet(known());
    const metric &m = *known().find("speeds");
    std::mt19937 random(12);
    std::normal_distribution<double> place(512, 0.15 * 1024);
    constexpr int sets = 400;
    constexpr std::size_t middle = 50;
    double noised = 0, able = 0, every = 0;
    for (int set = 0; set < sets; ++set) {
        std::vector<std::int32_t> points(101);
        for (std::int32_t &point : points) {
            point = static_cast<std::int32_t>(std::clamp(place(random), 0.0, 1023.0));
        }
        metric_tally tally = empty_tally(m);
        fleet.count(tally.front(), m, points, static_cast<std::uint64_t>(set));
        std::sort(points.begin(), points.end());
        const metric_estimate found = estimate_metric(m, 0, tally);
        ASSERT_EQ(found.rows.size(), points.size());
        noised += std::abs(found.rows[middle].result.value - points[middle]) / 1024;
        able += std::abs(found.rows[middle].consistent - points[middle]) / 1024;
        for (std::size_t i = 0; i < points.size(); ++i) {
            every += std::abs(found.rows[i].consistent - points[i]) / 1024 / 101;
        }
    }
    std::printf("median of 101 points, delta 10/1024: %.4f, made rising %.4f, all points %.4f\n",
                noised / sets, able / sets, every / sets);
    EXPECT_NEAR(noised / sets, 0.0098, 6.2 * 0.0098 / 20);
    EXPECT_NEAR(able / sets, 0.0054, 6.2 * 0.0043 / 20);
    EXPECT_NEAR(every / sets, 0.0063, 6.2 * 0.002 / 20);
}

plan_request asked() {
    plan_request request;
    request.type = "vector";
    request.devices = 1;
    request.epsilon = 1;
    request.min = 0;
    request.max = 1023;
    request.length = 101;
    request.delta = 10;
    return request;
}

TEST(SortedPoints, AreForetoldByThePlan) {
    const plan made = make_plan(asked());
    ASSERT_EQ(made.options.size(), 1u);
    EXPECT_EQ(made.chosen().mechanism, "sorted_points");
    const metric &m = *known().find("speeds");
    const double variance = mechanism_of(m).noise_variance(m, m.law(0));
    EXPECT_NEAR(std::pow(made.chosen().std_error * 1023, 2), variance, 1e-6 * variance);
    EXPECT_NEAR(variance, discrete_laplace_variance(0.1), 1e-6 * variance);
    EXPECT_NE(made.toml().find("sorted = true\nlength = 101\ndelta = 10\n"), std::string::npos);
    EXPECT_TRUE(made.levels.empty()) << "they have no ladder";
    plan_request plain = asked();
    plain.delta.reset();
    EXPECT_EQ(make_plan(plain).chosen().mechanism, "discrete_laplace");
    plan_request both = asked();
    both.l1_sensitivity = 20;
    EXPECT_THROW((void)make_plan(both), usage_error);
    plan_request far = asked();
    far.delta = 1024;
    EXPECT_THROW((void)make_plan(far), usage_error);
}

// 200 gateways, a row each; every second one sends its points in another order.
TEST(SortedPoints, AreEstimatedByTheProgram) {
    const temporary_directory in;
    (void)in.file("M.json", read_file(SOTTO_SORTED));
    std::string text = "gateway,points\n";
    for (int g = 0; g < 200; ++g) {
        text += fmt::format("{},{}\n", g, g % 2 == 0 ? "4|-5|9" : "-7|4|5");
    }
    (void)in.file("gateways.csv", text);
    const auto sotto = [&](const std::string &arguments) { return run_program(in, arguments); };
    const program_result made = sotto("simulate --registry M.json --input gateways.csv --map "
                                      "few=points --seed 00 --out r.bin");
    ASSERT_EQ(made.exit, 0) << made.err;
    ASSERT_EQ(sotto("ingest --registry M.json --store S r.bin --strict").exit, 0);
    const std::string command = "estimate --registry M.json --store S --metric few --format ";
    const json rows = json::parse(sotto(command + "json").out);
    ASSERT_EQ(rows.size(), 3u);
    const int truth[] = {-5, 4, 5};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i]["value"], i);
        EXPECT_NEAR(rows[i]["std_error"], std::sqrt(discrete_laplace_variance(0.125) / 200), 1e-3);
        EXPECT_NEAR(rows[i]["estimate"], truth[i], 6.5 * rows[i]["std_error"].get<double>());
        EXPECT_GE(rows[i]["consistent"], i == 0 ? json(-5) : rows[i - 1]["consistent"]);
        EXPECT_LE(rows[i]["consistent"], 5);
    }
    for (const char *format : {"table", "csv", "html", "openmetrics"}) {
        EXPECT_EQ(sotto(command + format).exit, 0) << format;
    }
    const std::string promise = sotto("epsilon --registry M.json").out;
    EXPECT_NE(promise.find("each of a source's 2 points"), std::string::npos);
    (void)in.file("short.csv", "points\n1|2\n");
    const program_result refused =
        sotto("simulate --registry M.json --input short.csv --map few=points --out x.bin");
    EXPECT_EQ(refused.exit, 2);
    EXPECT_NE(refused.err.find("has 2 numbers, the metric has 3"), std::string::npos);
}

} // namespace
} // namespace sotto::aggregator::test
