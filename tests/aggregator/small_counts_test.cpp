// SPDX-License-Identifier: Apache-2.0
// Intervals where noise alone is expected to count less than once or twice. The law is then far
// from normal, and often no report at all says what is asked for.
#include "aggregator/estimate/selective_relaxation.hpp"
#include "aggregator/statistics/k_randomized_response.hpp"
#include "trials.hpp"

#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

double keep_of(double epsilon, std::uint32_t size) {
    return std::expm1(epsilon) / (std::exp(epsilon) + size - 1);
}

struct small {
    std::uint64_t reports, count;
};

class SmallCounts : public testing::TestWithParam<small> {};

TEST_P(SmallCounts, OfAThousandCategories) {
    const auto [reports, count] = GetParam();
    generator random(reports + count);
    const double keep[] = {keep_of(1, 1000)};
    const bit_channel channel = k_randomized_response_channel(keep[0], 1000);
    trials seen;
    for (int i = 0; i < trials::count; ++i) {
        const level_count counts[] = {through(random, reports, count, channel)};
        seen.add(estimate_categories(counts, keep, 1000), static_cast<double>(count));
    }
    EXPECT_TRUE(seen.covers_at_least_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
}

TEST_P(SmallCounts, OfAThousandCategoriesOverTwoLevels) {
    const auto [reports, count] = GetParam();
    generator random(reports + count);
    const double keep[] = {keep_of(1, 1000), keep_of(2, 1000)};
    const bit_channel channels[] = {k_randomized_response_channel(keep[0], 1000),
                                    k_randomized_response_channel(keep[1], 1000)};
    trials added;
    for (int i = 0; i < trials::count; ++i) {
        const std::uint64_t low = binomial(random, count, 0.5);
        const level_count counts[] = {through(random, reports, low, channels[0]),
                                      through(random, reports, count - low, channels[1])};
        added.add(estimate_categories(counts, keep, 1000), static_cast<double>(count));
    }
    EXPECT_TRUE(added.covers_at_least_95()) << added.covered();
    EXPECT_TRUE(added.unbiased());
}

TEST_P(SmallCounts, OfMembersAmongManyBits) {
    const auto [reports, count] = GetParam();
    generator random(reports + count);
    const bit_channel channel[] = {{0.001, 0.002}}; // weak on purpose
    trials seen;
    for (int i = 0; i < trials::count; ++i) {
        const level_count counts[] = {through(random, reports, count, channel[0])};
        seen.add(estimate_bit_channel(counts, channel), static_cast<double>(count));
    }
    EXPECT_TRUE(seen.covers_at_least_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
}

// 500 reports: half a report of each category is expected of noise.
INSTANTIATE_TEST_SUITE_P(Noise, SmallCounts,
                         testing::Values(small{500, 0}, small{500, 3}, small{2000, 0},
                                         small{2000, 20}),
                         [](const auto &at) {
                             return std::to_string(at.param.reports) + "With" +
                                    std::to_string(at.param.count);
                         });

// As the first, by all categories of one release each.
TEST(SmallCount, OfAllCategoriesAtOnce) {
    generator random(7);
    const std::uint32_t size = 30;
    const double keep = keep_of(1, size);
    std::bernoulli_distribution kept(keep);
    std::uniform_int_distribution<std::uint32_t> any(0, size - 1);
    trials none;
    for (int i = 0; i < trials::count; ++i) {
        relaxation_outcomes outcomes = {keep, std::vector<std::uint64_t>(size), {}};
        for (std::uint32_t n = 0; n < 20; ++n) {
            ++outcomes.kept[kept(random) ? 1 + n % 3 : any(random)];
        }
        none.add(estimate_selectively_relaxed(outcomes).values[0], 0);
    }
    EXPECT_TRUE(none.covers_at_least_95()) << none.covered();
    EXPECT_TRUE(none.unbiased());
}

// The negative control: the estimate itself as the count that its variance is taken at.
TEST(SmallCount, AreNotCoveredByTheVarianceAtANegativeCount) {
    generator random(8);
    const bit_channel channel = k_randomized_response_channel(keep_of(1, 1000), 1000);
    trials bold;
    for (int i = 0; i < trials::count; ++i) {
        const level_count counts[] = {through(random, 500, 0, channel)};
        estimated found = estimate_bit_channel(counts, {&channel, 1});
        found.std_error = std::sqrt(bit_channel_variance(500, found.value, channel));
        bold.add(found, 0);
    }
    EXPECT_FALSE(bold.covers_at_least_95()) << bold.covered();
}

} // namespace
} // namespace sotto::aggregator::test
