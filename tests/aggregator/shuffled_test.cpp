// SPDX-License-Identifier: Apache-2.0
// A relay that mixes. The bound is held to exact fractions (tests/vectors/shuffled.py): the two
// mixtures that it is of, and mixed reports that it must cover. Wrong bounds fail the same checks.
#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/promise/datasheet.hpp"
#include "aggregator/promise/shuffled_table.hpp"
#include "aggregator/text/format.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;
using delta_function = std::function<double(double local, double central, std::uint64_t devices)>;

struct exact_delta {
    double local, central, delta;
    std::uint64_t devices;
};

std::vector<exact_delta> exact(const char *list) {
    const json written = json::parse(std::ifstream(SOTTO_VECTORS "/shuffled.json"));
    std::vector<exact_delta> found;
    for (const json &row : written.at(list)) {
        found.push_back({std::log(row.at("local").get<double>()),
                         std::log(row.at("central").get<double>()), row.at("delta"),
                         row.at("devices")});
    }
    return found;
}

bool is_of_the_clones(const delta_function &delta) {
    return std::ranges::all_of(exact("clones"), [&](const exact_delta &e) {
        const double found = delta(e.local, e.central, e.devices);
        return found >= e.delta * (1 - 1e-14) && found <= e.delta * (1 + 1e-5);
    });
}

bool covers_reports(const delta_function &delta) {
    return std::ranges::all_of(exact("reports"), [&](const exact_delta &e) {
        return delta(e.local, e.central, e.devices) >= e.delta * (1 - 1e-14);
    });
}

TEST(Shuffled, IsTheExactBoundAndCoversReports) {
    EXPECT_EQ(exact("clones").size(), 20u);
    EXPECT_EQ(exact("reports").size(), 32u);
    EXPECT_TRUE(is_of_the_clones(shuffled_delta));
    EXPECT_TRUE(covers_reports(shuffled_delta));
}

// Sums over each number of clones and ones, for few devices. A device is a clone with probability
// `clone`, and the first device says its own law with `own`.
double binomial(double n, double k, double p) {
    return k < 0 || k > n || (p == 1 && k < n)
               ? 0
               : std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                          k * std::log(p) + (p < 1 ? (n - k) * std::log1p(-p) : 0));
}

double by_hand(double central, std::uint64_t devices, double clone, double own) {
    const auto n = static_cast<double>(devices) - 1;
    double sum = 0;
    for (double c = 0; c <= n; ++c) {
        double beyond = 0;
        for (double ones = 0; ones <= c + 1; ++ones) {
            const double first = binomial(c, ones - 1, 0.5), second = binomial(c, ones, 0.5);
            const double p = own * first + (1 - own) * second;
            const double q = own * second + (1 - own) * first;
            beyond += std::max(0.0, p - std::exp(central) * q);
        }
        sum += binomial(n, c, clone) * beyond;
    }
    return sum;
}

TEST(Shuffled, WrongBoundsFailTheSameChecks) {
    const auto bound = [](double clone_scale, double share, std::uint64_t more) {
        return [=](double local, double central, std::uint64_t devices) {
            const double clone = std::min(1.0, std::exp(-local) * clone_scale);
            return share * by_hand(central, devices + more, clone, 1 / (1 + std::exp(-local)));
        };
    };
    const auto right = bound(1, 1 + 1e-9, 0);
    EXPECT_TRUE(is_of_the_clones(right));
    EXPECT_TRUE(covers_reports(right));
    EXPECT_FALSE(is_of_the_clones(bound(2, 1, 0))) << "each clone counted twice";
    EXPECT_FALSE(covers_reports(bound(2, 1, 0)));
    EXPECT_FALSE(is_of_the_clones(bound(1, 0.5, 0))) << "half of the distance";
    EXPECT_FALSE(covers_reports(bound(1, 0.5, 0)));
    EXPECT_FALSE(is_of_the_clones(bound(1, 1, 1))) << "the device among its own clones";
    const auto always_own = [](double local, double central, std::uint64_t devices) {
        return by_hand(central, devices, std::exp(-local), 1);
    };
    EXPECT_FALSE(is_of_the_clones(always_own)) << "a device that is never flipped";
}

TEST(Shuffled, FallsWithDevicesAndIsNeverAboveTheReport) {
    for (const double local : {0.01, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        for (const double delta : {1e-4, 1e-6, 1e-9}) {
            double before = local;
            for (std::uint64_t devices = 2; devices <= 4'000'000; devices *= 4) {
                const double found = shuffled_epsilon(local, devices, delta);
                EXPECT_LE(found, before * (1 + 1e-6)) << local << " " << devices;
                EXPECT_GT(found, 0);
                before = found;
            }
            EXPECT_LT(before, local < 8 ? local / 2 : local);
        }
    }
}

// Many clones are counted as the least of their block: the bound stays above the sum of all.
TEST(Shuffled, BlocksErrUpwardsAndLittle) {
    for (const double local : {0.5, 1.0, 3.0}) {
        const double central = local / 8;
        const double sum = by_hand(central, 600, std::exp(-local), 1 / (1 + std::exp(-local)));
        const double found = shuffled_delta(local, central, 600);
        EXPECT_GT(found, sum * (1 - 1e-9)) << local;
        EXPECT_LT(found, sum * 1.2) << local;
    }
}

// Theorem 3.1 in closed form, where it holds.
TEST(Shuffled, IsBelowTheTheorem) {
    int compared = 0;
    for (const double local : {0.25, 0.5, 1.0, 2.0, 4.0, 6.0}) {
        for (const double n : {1e3, 1e4, 1e5, 1e6, 1e7}) {
            const double delta = 1 / (10 * n), factor = std::exp(local);
            if (local > std::log(n / (16 * std::log(2 / delta)))) {
                continue;
            }
            const double closed =
                std::log1p(std::tanh(local / 2) *
                           (8 * std::sqrt(factor * std::log(4 / delta) / n) + 8 * factor / n));
            EXPECT_LT(shuffled_epsilon(local, static_cast<std::uint64_t>(n), delta), closed);
            ++compared;
        }
    }
    EXPECT_GT(compared, 20);
}

class ShuffledTable : public testing::Test {
  protected:
    registry registry_ = parse_registry(every_type_text(), "M.json");
};

TEST_F(ShuffledTable, HasFiguresForReportsThatShareNoNoise) {
    const shuffled_table table = shuffled_of(registry_, 100'000);
    EXPECT_EQ(table.delta, 1e-6);
    ASSERT_EQ(table.metrics.size(), registry_.metrics.size());
    for (std::size_t i = 0; i < table.metrics.size(); ++i) {
        const metric &m = registry_.metrics[i];
        const shuffled_metric &found = table.metrics[i];
        const bool is_left_out = m.levels.front().repeated || m.type == SOTTO_TYPE_STRING;
        EXPECT_EQ(found.of_mixed.size(), is_left_out ? 0 : m.level_count()) << m.name;
        for (std::size_t level = 0; level < found.of_mixed.size(); ++level) {
            EXPECT_LT(found.of_mixed[level], m.realised(level).value);
        }
    }
    EXPECT_TRUE(shuffled_of(*registry_.find("aircraft"), 100).of_mixed.empty());
}

TEST_F(ShuffledTable, IsPrintedByTheProgramAndTheSheet) {
    const temporary_directory directory;
    std::ofstream(directory / "M.json") << every_type_text();
    const program_result r = run_program(directory, "epsilon --registry M.json --shuffled 5000");
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_EQ(r.out, shuffled_text(registry_, shuffled_of(registry_, 5000), any_width));
    EXPECT_NE(r.out.find("at delta 2e-05"), std::string::npos) << r.out;
    const json said =
        json::parse(json_format.shuffled(registry_, shuffled_of(registry_, 5000), any_width));
    EXPECT_EQ(said.at("is_charged"), false);
    EXPECT_EQ(said.at("metrics")[0].at("name"), "damage");
    EXPECT_EQ(run_program(directory, "epsilon --registry M.json --shuffled 1").exit, 2);
    EXPECT_EQ(run_program(directory, "epsilon --registry M.json --shuffled 9 --horizon 9").exit, 2);

    const std::string damage = shuffled_sentences(*registry_.find("damage"), 5000);
    const double mixed = shuffled_of(*registry_.find("damage"), 5000).of_mixed[0];
    EXPECT_NE(damage.find(rounded_up(mixed) + " at level 0"), std::string::npos) << damage;
    EXPECT_NE(damage.find("honest relay"), std::string::npos);
    const program_result sheet =
        run_program(directory, "datasheet --registry M.json --shuffled 5000");
    EXPECT_NE(sheet.out.find(damage), std::string::npos);
    const std::string without = run_program(directory, "datasheet --registry M.json").out;
    EXPECT_EQ(without.find("behind a relay"), std::string::npos);
}

} // namespace
} // namespace sotto::aggregator::test
