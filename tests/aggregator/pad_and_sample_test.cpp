// SPDX-License-Identifier: Apache-2.0
// Pad and sample: intervals of reports that are drawn by the law of the mechanism, and plans.
// tests/registry/test_pad_and_sample.py has the exact variances.
#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/plan/plan.hpp"
#include "aggregator/statistics/bit_channel.hpp"
#include "support.hpp"
#include "trials.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace sotto::aggregator::test {
namespace {

constexpr std::uint32_t size = 5, most = 3;

metric set_of(std::uint32_t named) {
    metric m;
    m.type = SOTTO_TYPE_SET;
    m.table = pad_and_sample_table{{threshold{3} << 62}, size, most, named};
    return m;
}

using members = std::vector<std::uint32_t>;

// Reports of these sets, each padded, sampled and noised by itself.
level_tally drawn(const metric &m, const std::vector<members> &sets, generator &random) {
    const auto &t = std::get<pad_and_sample_table>(m.table);
    std::bernoulli_distribution keeps(0.75);
    std::uniform_int_distribution<std::uint32_t> any(0, t.answers() - 1);
    level_tally at;
    at.ones.resize(t.answers());
    for (members padded : sets) {
        while (padded.size() < most) {
            padded.push_back(size + static_cast<std::uint32_t>(padded.size()));
        }
        std::ranges::shuffle(padded, random);
        const auto [low, high] = std::minmax(padded[0], padded[1]);
        const std::uint32_t answer = t.named == 1 ? padded[0] : high * (high - 1) / 2 + low;
        ++at.ones[keeps(random) ? answer : any(random)];
        ++at.reports;
    }
    return at;
}

// Member 0 is in all sets, member 1 in half of them, member 4 in none.
TEST(PadAndSample, IntervalsHoldAndAreCentred) {
    constexpr double truth[size] = {1000, 500, 250, 250, 0};
    std::vector<members> sets;
    for (int i = 0; i < 1000; ++i) {
        const members some[] = {{0, 1}, {0}, {0, 1, 2}, {0, 3}};
        sets.push_back(some[i % 4]);
    }
    generator random(19);
    for (const std::uint32_t named : {1U, 2U}) {
        const metric m = set_of(named);
        const mechanism &how = mechanism_of(m);
        std::array<trials, size> seen;
        for (int i = 0; i < trials::count; ++i) {
            const std::array levels = {drawn(m, sets, random)};
            for (std::uint32_t v = 0; v < size; ++v) {
                seen[v].add(how.estimate(m, levels, how.laws(m), v), truth[v]);
            }
        }
        for (std::uint32_t v = 0; v < size; ++v) {
            EXPECT_TRUE(seen[v].unbiased()) << named << ", member " << v;
            EXPECT_TRUE(seen[v].covers_at_least_95()) << named << ", member " << v;
            EXPECT_TRUE(seen[v].agrees_with(seen[v].said_error())) << named << ", member " << v;
            EXPECT_FALSE(seen[v].agrees_with(1.25 * seen[v].said_error())) << "the control";
        }
    }
}

TEST(PadAndSample, CountsThatNoFleetSendsAreFound) {
    for (const std::uint32_t named : {1U, 2U}) {
        const metric m = set_of(named);
        generator random(20);
        level_tally at = drawn(m, std::vector<members>(5000, members{0, 1, 2}), random);
        quality_sums honest, forged;
        mechanism_of(m).check(m, mechanism_of(m).laws(m)[0], at, 1, honest);
        EXPECT_EQ(honest.impossible, 0u);
        at.ones[0] += 5000; // more than any set makes likely
        at.reports += 5000;
        mechanism_of(m).check(m, mechanism_of(m).laws(m)[0], at, 1, forged);
        EXPECT_GT(forged.impossible, 0u);
    }
}

plan planned(std::uint32_t there, std::uint32_t at_most, double epsilon) {
    plan_request request;
    request.type = "set";
    request.devices = 1e5;
    request.epsilon = epsilon;
    request.members = there;
    request.max_members = at_most;
    return make_plan(request);
}

const plan_option &option_of(const plan &made, const std::string &mechanism) {
    return *std::ranges::find(made.options, mechanism, &plan_option::mechanism);
}

// Beside the better of unary bits: in a plan's measure, times less variance.
TEST(PadAndSample, IsPlannedWhereItsErrorIsLess) {
    const struct {
        std::uint32_t there, at_most;
        double epsilon, gain;
        const char *parameters;
    } cases[] = {{4, 3, 1, 2.5, "1 of 3 elements, 7 answers"},
                 {4, 3, 2, 2.1, "2 of 3 elements, 21 answers"},
                 {4, 3, 4, 2.3, "2 of 3 elements, 21 answers"},
                 {20, 5, 2, 7.6, "1 of 5 elements, 25 answers"}};
    for (const auto &c : cases) {
        const plan made = planned(c.there, c.at_most, c.epsilon);
        const plan_option &sampled = option_of(made, "pad_and_sample");
        EXPECT_EQ(made.chosen().mechanism, "pad_and_sample") << c.epsilon;
        EXPECT_EQ(sampled.parameters, c.parameters) << c.epsilon;
        const double unary = std::min(option_of(made, "unary").std_error,
                                      option_of(made, "optimized_unary").std_error);
        EXPECT_GT(std::pow(unary / sampled.std_error, 2), c.gain) << c.epsilon;
    }
    // A thousand members: bits are better, and a report of one element is no longer seldom wrong.
    EXPECT_NE(planned(1000, 3, 1).chosen().mechanism, "pad_and_sample");
}

TEST(PadAndSample, AWrongTableIsRefused) {
    const auto refusal = [](const char *key, std::uint32_t number) {
        auto document = nlohmann::json::parse(read_file(SOTTO_EVERY_MECHANISM));
        for (auto &m : document["metrics"]) {
            if (m["mechanism"] == "pad_and_sample") {
                m["table"][key] = number;
            }
        }
        try {
            (void)parse_registry(document.dump(), "M.json");
        } catch (const usage_error &e) {
            return std::string(e.what());
        }
        return std::string("none");
    };
    EXPECT_NE(refusal("named", 3).find("named"), std::string::npos);
    EXPECT_NE(refusal("max_members", 7).find("max_members"), std::string::npos);
    EXPECT_NE(refusal("named", 2), "none") << "epsilon is another then";
}

} // namespace
} // namespace sotto::aggregator::test
