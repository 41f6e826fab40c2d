// SPDX-License-Identifier: Apache-2.0
// Each estimator against reference numbers, against numbers by hand, and against simulated noise.
#include "aggregator/statistics/benjamini_hochberg.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/statistics/k_randomized_response.hpp"
#include "aggregator/statistics/one_bit_mean.hpp"
#include "aggregator/statistics/rappor.hpp"
#include "support.hpp"
#include "trials.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

// An item of tests/vectors/estimators.json: numbers, many of them as text with 30 digits.
class reference {
  public:
    explicit reference(const char *name) {
        const auto file = nlohmann::json::parse(read_file(SOTTO_VECTORS "/estimators.json"));
        for (const auto &item : file.at("items")) {
            if (item.at("name") == name) {
                item_ = item;
            }
        }
    }
    double operator[](const char *key) const {
        const auto &value = item_.at(key);
        return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
    }
    std::uint64_t whole(const char *key) const { return item_.at(key).get<std::uint64_t>(); }

  private:
    nlohmann::json item_;
};

// Relative, for numbers of 30 digits that went through a few operations on doubles.
void expect_same(double found, double wanted) {
    EXPECT_NEAR(found, wanted, 1e-12 * std::abs(wanted));
}

bit_channel category_channel(double epsilon, std::uint32_t size) {
    return k_randomized_response_channel(std::expm1(epsilon) / (std::exp(epsilon) + size - 1),
                                         size);
}

TEST(Vectors, RandomizedResponse) {
    const reference r("rr");
    const level_count count[] = {{r.whole("n"), r.whole("C_example")}};
    const double flip[] = {1 / (1 + std::exp(r["eps"]))};
    const estimated found = estimate_flips(count, flip);
    expect_same(found.value, r["estimate"]);
    expect_same(found.std_error * found.std_error, r["var"]);
}

TEST(Vectors, KRandomizedResponse) {
    const reference r("grr");
    const auto k = static_cast<std::uint32_t>(r.whole("k"));
    const double keep[] = {std::expm1(r["eps"]) / (std::exp(r["eps"]) + k - 1)};
    const level_count count[] = {{r.whole("n"), r.whole("C_example")}};
    expect_same(estimate_categories(count, keep, k).value, r["estimate"]);
    const bit_channel channel = category_channel(r["eps"], k);
    expect_same(bit_channel_variance(r["n"], r["c"], channel), r["var"]);
    expect_same(k_randomized_response_covariance(r["n"], 180, 100, channel), r["cov_c180_c100"]);
}

TEST(Vectors, Unary) {
    const reference r("unary");
    const bit_channel channel[] = {{r["gamma"], r["beta"]}};
    const level_count count[] = {{r.whole("n"), r.whole("C_example")}};
    expect_same(estimate_bit_channel(count, channel).value, r["estimate"]);
    expect_same(bit_channel_variance(r["n"], r["c"], channel[0]), r["var"]);
}

TEST(Vectors, RapporBits) {
    const reference r("rappor");
    const bit_channel channel = rappor_channel(r["f"], r["p"], r["q"]);
    EXPECT_EQ(channel.one_if_zero, r["p_star"]);
    EXPECT_EQ(channel.one_if_one, r["q_star"]);
    const level_count count[] = {{r.whole("n"), r.whole("C_example")}};
    expect_same(estimate_bit_channel(count, {&channel, 1}).value, r["estimate"]);
    expect_same(bit_channel_variance(r["n"], r["c"], channel), r["var"]);
}

TEST(Vectors, LaplaceMean) {
    const reference r("dlap_mean");
    const number_count none_at_an_end[] = {{r.whole("n"), 1000, 0, 0}};
    const double epsilon[] = {r["eps"]};
    const estimated found = estimate_discrete_laplace(none_at_an_end, epsilon);
    EXPECT_EQ(found.value, 2);
    expect_same(found.std_error * found.std_error, r["var_of_mean"]);
}

// The plain mean has the bias that the reference gives. The corrections at the ends take away just
// that, for every true value in the range. The variance is as the header says.
TEST(Vectors, ClampedNumbersStayUnbiased) {
    const reference r("clamp_bias");
    const double q = std::exp(-r["eps"]), end = discrete_laplace_end(r["eps"]);
    const int low = static_cast<int>(r["L"]), high = static_cast<int>(r["U"]);
    for (int u = low; u <= high; ++u) {
        double plain = 0, mean = 0, square = 0, at_end = 0;
        for (int v = -400; v <= 400; ++v) {
            const double p = (1 - q) / (1 + q) * std::pow(q, std::abs(v));
            const int y = std::clamp(u + v, low, high);
            const double g = y + (y == high ? end : 0) - (y == low ? end : 0);
            plain += p * y;
            mean += p * g;
            square += p * (g - u) * (g - u);
            at_end += y == low || y == high ? p : 0;
        }
        EXPECT_NEAR(mean, u, 1e-12) << u;
        expect_same(square, discrete_laplace_variance(r["eps"]) * (1 - at_end / 2));
        if (u == static_cast<int>(r["u"])) {
            EXPECT_NEAR(plain - u, r["bias"], 1e-12);
        }
    }
}

// By hand: gamma = 1/4, beta = 1/2; 40 of 100 say yes: (40 - 25) / (1/4) = 60. All of 8 say no at
// gamma = 0, beta = 1/2: 0, with variance 0.
TEST(BitChannel, ByHandAndLevelsAdd) {
    const level_count counts[] = {{100, 40}, {8, 0}};
    const bit_channel channels[] = {{0.25, 0.5}, {0, 0.5}};
    const estimated found = estimate_bit_channel(counts, channels);
    EXPECT_DOUBLE_EQ(found.value, 60);
    // 60 (1/4) + 40 (3/16), over 1/16.
    EXPECT_DOUBLE_EQ(found.std_error, std::sqrt((15 + 7.5) * 16));
    EXPECT_EQ(found.reports, 108u);
    // None at all: the noise of 100 that are not, and not of 200 that are not less 100 that are.
    const level_count none[] = {{100, 0}};
    const estimated below = estimate_bit_channel(none, channels);
    EXPECT_DOUBLE_EQ(below.value, -100);
    EXPECT_DOUBLE_EQ(below.std_error, std::sqrt(100 * 0.1875 * 16));
    // Every one of them, likewise.
    const level_count certain[] = {{100, 100}};
    const estimated above = estimate_bit_channel(certain, channels);
    EXPECT_DOUBLE_EQ(above.value, 300);
    EXPECT_DOUBLE_EQ(above.std_error, std::sqrt(100 * 0.25 * 16));
}

// By hand: p = 1/4, 60 of 100 ones: (0.6 - 0.25) / 0.5 = 0.7 of a range of 2^32 / scale = 16 above
// -4. Two levels: their totals add.
TEST(OneBitMean, ByHandAndLevelsAdd) {
    const one_bit_range range = {-4, 1u << 28};
    const level_count counts[] = {{100, 60}, {300, 150}, {0, 0}};
    const double flip[] = {0.25, 0.125, 0.1};
    const estimated level = estimate_one_bit_mean(std::span(counts).first(1), flip, range);
    EXPECT_DOUBLE_EQ(level.value, -4 + 0.7 * 16);
    EXPECT_DOUBLE_EQ(level.std_error, std::sqrt(60 * 40 / 99.0) / 0.5 / 100 * 16);
    const estimated both = estimate_one_bit_mean(counts, flip, range);
    EXPECT_DOUBLE_EQ(both.value, -4 + (70 + 150) / 400.0 * 16);
    EXPECT_EQ(both.reports, 400u);
    // One report says nothing of its own variance: it is taken as large as it can be.
    const level_count single[] = {{1, 1}};
    EXPECT_DOUBLE_EQ(estimate_one_bit_mean(single, flip, range).std_error, 16);
    // Never smaller than the flips alone make it.
    const level_count certain[] = {{100, 100}};
    EXPECT_DOUBLE_EQ(estimate_one_bit_mean(certain, flip, range).std_error,
                     std::sqrt(100 * 3 / 16.0) / 0.5 / 100 * 16);
    EXPECT_EQ(estimate_one_bit_mean({}, flip, range).reports, 0u);
}

// By hand with q = 1/2, so that an end stands for one more: (10 + 3 - 1) / 4.
TEST(DiscreteLaplace, ByHandAndLevelsAdd) {
    const double epsilon[] = {std::log(2.0), std::log(3.0)};
    const number_count counts[] = {{4, 10, 1, 3}, {6, 12, 0, 0}};
    const estimated level = estimate_discrete_laplace(std::span(counts).first(1), epsilon);
    EXPECT_DOUBLE_EQ(level.value, 3);
    EXPECT_NEAR(level.std_error, std::sqrt(2.0 * 4) / 4, 1e-15);
    const estimated both = estimate_discrete_laplace(counts, epsilon);
    EXPECT_DOUBLE_EQ(both.value, 2.4);
    EXPECT_NEAR(both.std_error, std::sqrt(8 + 12 * 0.75) / 10, 1e-15);
    number_count added;
    for (const int y : {-3, -3, 0, 8}) {
        added.add(y, -3, 8);
    }
    EXPECT_EQ(added.sum, 2);
    EXPECT_EQ(added.at_min, 2u);
    EXPECT_EQ(added.at_max, 1u);
    EXPECT_EQ(estimate_discrete_laplace({}, epsilon).reports, 0u);
}

TEST(BenjaminiHochberg, ByHand) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    using flags = std::vector<bool>;
    // 0.039 is above 3/5 of 5 %, but 0.04 is not above 4/5: all four are in.
    const double p[] = {0.04, 0.9, 0.01, 0.039, 0.02};
    EXPECT_EQ(benjamini_hochberg(p, 0.05), (flags{true, false, true, true, true}));
    const double q[] = {0.06, none, 0.03};
    EXPECT_EQ(benjamini_hochberg(q, 0.05), (flags{false, false, false}));
    const double p_values[] = {none, 0.05};
    EXPECT_EQ(benjamini_hochberg(p_values, 0.05), (flags{false, true}));
    EXPECT_TRUE(benjamini_hochberg({}, 0.05).empty());
    EXPECT_NEAR(normal_upper_tail(1.6448536269514722), 0.05, 1e-15);
}

TEST(Coverage, RandomizedResponseOverTwoLevels) {
    generator random(1);
    trials seen;
    const double flip[] = {0.4, 0.2};
    for (int i = 0; i < trials::count; ++i) {
        const level_count counts[] = {through(random, 900, 300, {0.4, 0.6}),
                                      through(random, 600, 10, {0.2, 0.8})};
        seen.add(estimate_flips(counts, flip), 310);
    }
    EXPECT_TRUE(seen.covers_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
}

// Where the level depends on the data, as here, only totals stay right.
TEST(Coverage, CategoriesOverTwoLevels) {
    generator random(2);
    trials seen;
    const double keep[] = {0.1, 0.4};
    const bit_channel low = k_randomized_response_channel(0.1, 8);
    const bit_channel high = k_randomized_response_channel(0.4, 8);
    for (int i = 0; i < trials::count; ++i) {
        const level_count counts[] = {through(random, 2000, 100, low),
                                      through(random, 1000, 700, high)};
        seen.add(estimate_categories(counts, keep, 8), 800);
    }
    EXPECT_TRUE(seen.covers_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
    EXPECT_TRUE(seen.agrees_with(seen.said_error()));
}

TEST(Coverage, OptimizedUnaryOfARareMember) {
    generator random(3);
    trials seen;
    const bit_channel channel[] = {{1 / (std::exp(2.0) + 1), 0.5}};
    for (int i = 0; i < trials::count; ++i) {
        const level_count counts[] = {through(random, 5000, 50, channel[0])};
        seen.add(estimate_bit_channel(counts, channel), 50);
    }
    EXPECT_TRUE(seen.covers_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
}

// An estimate that knows a wrong channel, and one that claims half its error, are caught.
TEST(Coverage, IsNotMetByWrongEstimates) {
    generator random(4);
    trials biased, bold;
    const bit_channel truth = {0.2, 0.5}, wrong = {0.21, 0.5};
    for (int i = 0; i < trials::count; ++i) {
        const level_count count[] = {through(random, 5000, 500, truth)};
        biased.add(estimate_bit_channel(count, {&wrong, 1}), 500);
        estimated half = estimate_bit_channel(count, {&truth, 1});
        half.std_error *= 0.8;
        bold.add(half, 500);
    }
    EXPECT_FALSE(biased.unbiased());
    EXPECT_FALSE(bold.covers_95()) << bold.covered();
    EXPECT_FALSE(bold.agrees_with(bold.said_error()));
}

// With one and the same number on every device the interval is exact; with numbers that differ it
// may only be too wide.
TEST(Coverage, OneBitMean) {
    generator random(5);
    trials same, mixed;
    const double flip[] = {0.3};
    const std::uint32_t scale = 0xffffffffu / 200;
    const auto chance = [&](double x) { // chance of a one
        return 0.3 + 0.4 * std::ldexp((x + 100) * scale, -32);
    };
    for (int i = 0; i < trials::count; ++i) {
        const level_count counts_at_level[] = {{2000, binomial(random, 2000, chance(-60))}};
        same.add(estimate_one_bit_mean(counts_at_level, flip, {-100, scale}), -60);
        const level_count two[] = {
            {2000, binomial(random, 1000, chance(-100)) + binomial(random, 1000, chance(100))}};
        mixed.add(estimate_one_bit_mean(two, flip, {-100, scale}), 0);
    }
    EXPECT_TRUE(same.covers_95()) << same.covered();
    EXPECT_TRUE(same.unbiased());
    EXPECT_TRUE(mixed.covers_at_least_95()) << mixed.covered();
    EXPECT_TRUE(mixed.unbiased());
}

// Numbers at and near the ends of a narrow range, where most of what is published is clamped.
TEST(Coverage, ClampedLaplaceMeanOverTwoLevels) {
    generator random(6);
    trials seen;
    const double epsilon[] = {0.1, 0.4};
    for (int i = 0; i < trials::count; ++i) {
        number_count counts[2];
        for (int n = 0; n < 300; ++n) {
            for (int level = 0; level < 2; ++level) {
                const std::int64_t u = level == 0 ? n % 3 : 10;
                const std::int64_t y = u + laplace(random, epsilon[level]);
                counts[level].add(static_cast<std::int32_t>(std::clamp<std::int64_t>(y, 0, 10)), 0,
                                  10);
            }
        }
        seen.add(estimate_discrete_laplace(counts, epsilon), 5.5);
    }
    EXPECT_TRUE(seen.covers_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
    EXPECT_TRUE(seen.agrees_with(seen.said_error()));
}

} // namespace
} // namespace sotto::aggregator::test
