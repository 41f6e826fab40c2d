// SPDX-License-Identifier: Apache-2.0
// Means by windows: their variance beside the mechanisms that they compete with, and intervals of
// reports that are drawn by the law of the mechanism.
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/mechanism/windows.hpp"
#include "support.hpp"
#include "trials.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {
namespace {

constexpr std::size_t bins = 64;
constexpr double middle = (bins - 1) / 2.0;

// On [-1, 1], of one report: at an end, and of numbers that are all as likely.
struct variances {
    double worst = 0, average = 0;
};

// Rounding has (1 - f) f of a squared bin: a sixth on average, and nothing at an end.
variances of_windows(double epsilon, std::size_t half) {
    const window_channel by = channel_at(epsilon, bins, half);
    const double gain = by.keep * middle * by.keep * middle;
    return {by.variance(middle * middle) / gain,
            (by.variance(middle * middle / 3) + by.keep / 6) / gain};
}

std::size_t best_half(double epsilon) {
    std::size_t best = 0;
    for (std::size_t half = 1; half <= bins; ++half) {
        best = of_windows(epsilon, half).worst < of_windows(epsilon, best).worst ? half : best;
    }
    return best;
}

// Ding, Kulkarni, Yekhanin 2017: worst in the middle.
variances of_one_bit(double epsilon) {
    const double worst = std::pow(1 / std::tanh(epsilon / 2), 2);
    return {worst, worst - 1.0 / 3};
}

// Wang and others 2019, lemma 1.
variances of_piecewise(double epsilon) {
    const double root = std::exp(epsilon / 2) - 1;
    const auto at = [&](double squared) {
        return squared / root + (root + 4) / (3 * root * root);
    };
    return {at(1), at(1.0 / 3)};
}

TEST(WindowMeanVariance, IsAtMostThatOfItsRivals) {
    for (const double epsilon : {1.0, 2.0, 4.0}) {
        const variances bit = of_one_bit(epsilon), piecewise = of_piecewise(epsilon);
        const variances windows = of_windows(epsilon, best_half(epsilon));
        printf("| %g | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n", epsilon, bit.worst,
               piecewise.worst, windows.worst, bit.average, piecewise.average, windows.average);
        EXPECT_LT(windows.worst, piecewise.worst);
        EXPECT_LT(windows.average, piecewise.average);
        EXPECT_LT(windows.average, bit.average);
        EXPECT_EQ(windows.worst < bit.worst, epsilon > 1);
    }
    // Five times less than one bit, as the piecewise mechanism, and more.
    EXPECT_GT(of_one_bit(4).average / of_windows(4, best_half(4)).average, 5.4);
    EXPECT_GT(of_one_bit(2).average / of_windows(2, best_half(2)).average, 1.6);
    // The window of distributions is another one: it would lose more.
    EXPECT_GT(of_windows(4, 4).worst, 1.2 * of_windows(4, best_half(4)).worst);
}

metric made(double epsilon) {
    metric m;
    window_mean_table table;
    table.min = -50;
    table.max = 150;
    table.scale = 0xffffffff / 200;
    table.bins = bins;
    table.half = static_cast<std::uint32_t>(best_half(epsilon));
    const double keep = channel_at(epsilon, bins, table.half).keep;
    table.keep = {static_cast<threshold>(std::ldexp(keep, 64))};
    m.table = std::move(table);
    return m;
}

// Reports of these numbers, each rounded and noised by itself.
level_tally drawn(const metric &m, const std::vector<double> &numbers, std::mt19937_64 &random) {
    const auto &t = std::get<window_mean_table>(m.table);
    const double keep = std::ldexp(static_cast<double>(t.keep[0]), -64);
    std::bernoulli_distribution keeps(keep);
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

// trials says which shares and means an honest estimate has.
TEST(WindowMeanIntervals, HoldAndAreCentred) {
    for (const double epsilon : {1.0, 4.0}) {
        const metric m = made(epsilon);
        const mechanism &how = mechanism_of(m);
        std::mt19937_64 random(static_cast<std::uint64_t>(epsilon));
        std::vector<double> numbers;
        double sum = 0;
        for (int i = 0; i < 500; ++i) {
            numbers.push_back(-50 + (i % 5) * 37);
            sum += numbers.back();
        }
        int covered = 0, of_narrow = 0;
        double off = 0, error = 0;
        for (int i = 0; i < trials::count; ++i) {
            const std::array levels = {drawn(m, numbers, random)};
            const estimated found = how.estimate(m, levels, how.laws(m), 0);
            const double away = std::abs(found.value - sum / 500);
            covered += away <= normal_95 * found.std_error ? 1 : 0;
            of_narrow += away <= normal_95 * found.std_error / 2 ? 1 : 0;
            off += (found.value - sum / 500) / trials::count;
            error += found.std_error / trials::count;
        }
        EXPECT_GT(covered, 0.92 * trials::count) << epsilon;
        EXPECT_LT(covered, 0.98 * trials::count) << epsilon;
        EXPECT_LT(of_narrow, 0.75 * trials::count) << "half as wide";
        EXPECT_LT(std::abs(off), 6.2 * error / std::sqrt(trials::count)) << epsilon;
    }
}

} // namespace
} // namespace sotto::aggregator::test
