// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/benjamini_hochberg.hpp"
#include "aggregator/statistics/selective_intervals.hpp"
#include "trials.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

// Half intervals in standard errors of 1, in the order of `values`.
std::vector<double> half_intervals(const std::vector<double> &values, std::size_t questions,
                                   std::optional<double> detected_from = std::nullopt) {
    std::vector<estimated> estimates;
    for (const double v : values) {
        estimates.push_back({v, 1, 100});
    }
    std::vector<compared_estimate> compared;
    for (estimated &estimate : estimates) {
        compared.push_back({&estimate, 0, detected_from});
    }
    allow_for_selection(compared, questions);
    std::vector<double> out;
    for (const estimated &estimate : estimates) {
        out.push_back(estimate.half_width());
    }
    return out;
}

TEST(SelectiveIntervals, WidenWhatIsNearlyEqual) {
    const double by_first = normal_upper_point(0.025 / 4);
    const std::vector<double> half = half_intervals({50, 50, 50.1, 50}, 4);
    EXPECT_NEAR(half[2], by_first, 1e-9);
    EXPECT_NEAR(half[0], by_first, 1e-9);
    EXPECT_NEAR(half[1], normal_upper_point(0.05 / 4), 1e-9);
    EXPECT_DOUBLE_EQ(half[3], normal_95) << "it was picked for nothing";
}

TEST(SelectiveIntervals, ArePointwiseWhereNothingElseCouldBeFirst) {
    for (const double half : half_intervals({90, 50, 70}, 3)) {
        EXPECT_NEAR(half, normal_95, 1e-9);
    }
    EXPECT_DOUBLE_EQ(half_intervals({50}, 1)[0], normal_95);
}

// Half the interval is a. Take a normal law with mean x - a. Its part above x is 2.5 % of its
// part above the next, or above the point of detection.
TEST(SelectiveIntervals, AreConditionalOnWhatHadToBePassed) {
    const auto share = [](double half, double above) {
        return normal_upper_tail(half) / normal_upper_tail(half - above);
    };
    EXPECT_NEAR(share(half_intervals({50, 52}, 1696)[1], 2), 0.025, 1e-9);
    EXPECT_NEAR(share(half_intervals({50, 30}, 1696, 48.5)[0], 1.5), 0.025, 1e-9);
}

TEST(SelectiveIntervals, EndAtZeroAndNotAtItsRounding) {
    for (const double value : {334.79714933418643, 1e6 / 3, 0.3}) {
        estimated first = {value, value / 2.3, 1'000'000}, second = first;
        allow_for_selection({{&first, 0, {}}, {&second, 0, {}}}, 1000);
        EXPECT_EQ(first.ci_low(), 0) << value;
        EXPECT_GE(first.ci_high(), 2 * value);
    }
    EXPECT_EQ((estimated{-1e-6, 1e-6, 10}).ci_low(), -1e-6 - normal_95 * 1e-6);
}

// A count can't be negative: zero is within, rounding or not, and no more is needed.
TEST(SelectiveIntervals, EndAtZero) {
    for (const double value : {2.1, 2.3, 3.0 / 7 + 2}) {
        const double half = half_intervals({value, value - 0.1}, 1000)[0];
        EXPECT_LE(value - half, 0);
        EXPECT_NEAR(half, value, 1e-9);
    }
    EXPECT_DOUBLE_EQ(half_intervals({-3, -3}, 2)[0], normal_95);
}

// The first of 24 equal ones, 8,000 times: 94 to 98 % hold, and of pointwise ones some 55 %. Either
// would be off with a probability below 1e-9.
TEST(SelectiveIntervals, HoldTheFirst) {
    generator random(11);
    std::normal_distribution<double> noise(50, 1);
    constexpr int rounds = 8000;
    int held = 0, held_pointwise = 0;
    for (int i = 0; i < rounds; ++i) {
        std::vector<estimated> estimates(24);
        std::vector<compared_estimate> compared;
        for (estimated &estimate : estimates) {
            estimate = {noise(random), 1, 100};
            compared.push_back({&estimate});
        }
        allow_for_selection(compared, estimates.size());
        const estimated &first = *std::max_element(
            estimates.begin(), estimates.end(), [](auto &a, auto &b) { return a.value < b.value; });
        const double off = std::abs(first.value - 50);
        held += off <= first.half_width() ? 1 : 0;
        held_pointwise += off <= first.pointwise_half_width() ? 1 : 0;
    }
    EXPECT_GE(held, rounds * 0.94);
    EXPECT_LE(held, rounds * 0.98);
    EXPECT_LE(held_pointwise, rounds * 0.62);
}

} // namespace
} // namespace sotto::aggregator::test
