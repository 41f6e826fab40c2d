// SPDX-License-Identifier: Apache-2.0
// Means by windows: intervals of reports that are drawn by the law of the mechanism, and plans.
// tests/registry/test_window_mean.py has the exact variances.
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/mechanism/windows.hpp"
#include "aggregator/plan/plan.hpp"
#include "support.hpp"
#include "trials.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {
namespace {

constexpr std::size_t bins = 64;

metric mean_of(double epsilon, std::uint32_t half, std::uint32_t some_bins = bins) {
    metric m;
    window_mean_table table;
    table.min = -50;
    table.max = 150;
    table.scale = 0xffffffff / 200;
    table.bins = some_bins;
    table.half = half;
    const double keep = channel_at(epsilon, some_bins, half).keep;
    table.keep = {static_cast<threshold>(std::ldexp(keep, 64))};
    m.table = std::move(table);
    return m;
}

// Reports of these numbers, each rounded and noised by itself.
level_tally drawn(const metric &m, const std::vector<double> &numbers, generator &random) {
    const auto &t = std::get<window_mean_table>(m.table);
    std::bernoulli_distribution keeps(std::ldexp(static_cast<double>(t.keep[0]), -64));
    std::uniform_int_distribution<std::size_t> within(0, 2 * t.half), any(0, t.answers() - 1);
    std::uniform_real_distribution<double> part(0, 1);
    level_tally at;
    at.ones.resize(t.answers());
    for (const double number : numbers) {
        const double place = (number - t.min) * t.scale * (bins - 1.0) / 4294967296.0;
        const double low = std::floor(place);
        const auto bin = static_cast<std::size_t>(low) + (part(random) < place - low ? 1 : 0);
        ++at.ones[keeps(random) ? bin + within(random) : any(random)];
        ++at.reports;
    }
    return at;
}

struct fleet {
    std::vector<double> numbers; // 500
    double mean = 0;
};

fleet all_at(double number) { return {std::vector<double>(500, number), number}; }
fleet spread_out() {
    fleet made;
    for (int i = 0; i < 500; ++i) {
        made.numbers.push_back(-50 + (i % 5) * 37);
        made.mean += made.numbers.back() / 500;
    }
    return made;
}

// Two bins without a window are one bit. In the middle of the range that bit is fair. The error is
// then 1 / (2 kappa) bins, with the rounding in it.
TEST(WindowMean, ErrorsCountTheRoundingOfDistances) {
    const metric m = mean_of(1, 0, 2);
    const mechanism &how = mechanism_of(m);
    estimated middle;
    middle.value = 50;
    middle.reports = 1;
    const double keep = channel_at(1, 2, 0).keep;
    EXPECT_NEAR(how.error(m, how.laws(m)[0], middle), 200 / (2 * keep), 1e-3);
}

TEST(WindowMean, IntervalsHoldAndAreCentred) {
    generator random(18);
    for (const auto &[epsilon, half] : {std::pair{1.0, 21U}, std::pair{4.0, 8U}}) {
        const metric m = mean_of(epsilon, half);
        const mechanism &how = mechanism_of(m);
        for (const fleet &f : {spread_out(), all_at(150), all_at(50)}) {
            trials seen;
            for (int i = 0; i < trials::count; ++i) {
                const std::array levels = {drawn(m, f.numbers, random)};
                seen.add(how.estimate(m, levels, how.laws(m), 0), f.mean);
            }
            EXPECT_TRUE(seen.unbiased()) << epsilon << ", mean " << f.mean;
            EXPECT_TRUE(seen.covers_95()) << epsilon << ", mean " << f.mean << seen.covered();
            EXPECT_TRUE(seen.agrees_with(seen.said_error())) << epsilon;
            EXPECT_FALSE(seen.agrees_with(1.25 * seen.said_error())) << "the control";
        }
    }
}

plan planned(const char *type, double epsilon) {
    plan_request request;
    request.type = type;
    request.devices = 1e5;
    request.epsilon = epsilon;
    request.min = 0;
    request.max = 1000;
    return make_plan(request);
}

const plan_option &option_of(const plan &made, const std::string &mechanism) {
    const auto found = std::ranges::find(made.options, mechanism, &plan_option::mechanism);
    if (found == made.options.end()) {
        throw std::logic_error(mechanism + " is not offered");
    }
    return *found;
}

// The worst case decides: that of one bit is in the middle, that of windows at an end. The compiler
// takes the same windows: test_window_mean.py.
TEST(WindowMean, IsPlannedWhereItsWorstCaseIsLess) {
    const struct {
        double epsilon, worst; // one report's variance on [-1, 1]: docs/MECHANISMS.md, K
        const char *window, *chosen;
    } cases[] = {{1, 5.11, "64 bins, window of 43", "one_bit_mean"},
                 {2, 1.11, "64 bins, window of 31", "window_mean"},
                 {4, 0.165, "64 bins, window of 17", "window_mean"}};
    for (const auto &c : cases) {
        const plan made = planned("mean", c.epsilon);
        EXPECT_EQ(made.chosen().mechanism, c.chosen) << c.epsilon;
        const plan_option &windows = option_of(made, "window_mean");
        EXPECT_EQ(windows.parameters, c.window);
        EXPECT_NEAR(windows.std_error / (std::sqrt(c.worst / 1e5) / 2), 1, 0.005) << c.epsilon;
        EXPECT_EQ(option_of(planned("integer", c.epsilon), "window_mean").parameters, c.window);
    }
}

} // namespace
} // namespace sotto::aggregator::test
