// SPDX-License-Identifier: Apache-2.0
// Noise drawn by textbook, not by the SDK, many times over. Is an estimate right on average, and is
// its interval as wide as it says?
#ifndef SOTTO_TESTS_AGGREGATOR_TRIALS_HPP
#define SOTTO_TESTS_AGGREGATOR_TRIALS_HPP

#include "aggregator/statistics/k_randomized_response.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace sotto::aggregator::test {

using generator = std::mt19937_64; // seeds are fixed, so outcomes repeat

// How often something happens in n attempts.
inline std::uint64_t binomial(generator &random, std::uint64_t n, double p) {
    return std::binomial_distribution<std::uint64_t>(n, p)(random);
}

// By level: bits that flip with these probabilities.
inline estimated estimate_flips(std::span<const level_count> counts, std::span<const double> flip) {
    std::vector<bit_channel> channels;
    for (const double p : flip) {
        channels.push_back({p, 1 - p});
    }
    return estimate_bit_channel(counts, channels);
}

// By level: one of `size` categories, kept with these probabilities, else any.
inline estimated estimate_categories(std::span<const level_count> counts,
                                     std::span<const double> keep, std::uint32_t size) {
    std::vector<bit_channel> channels;
    for (const double k : keep) {
        channels.push_back(k_randomized_response_channel(k, size));
    }
    return estimate_bit_channel(counts, channels);
}

// `reports` releases, `count` of them truly yes, seen through a channel.
inline level_count through(generator &random, std::uint64_t reports, std::uint64_t count,
                           const bit_channel &channel) {
    return {reports, binomial(random, count, channel.one_if_one) +
                         binomial(random, reports - count, channel.one_if_zero)};
}

inline std::int64_t laplace(generator &random, double unit_epsilon) {
    std::geometric_distribution<std::int64_t> size(-std::expm1(-unit_epsilon));
    return size(random) - size(random);
}

// Over 2,000 trials and for any seed an honest estimate leaves a band with probability below 1e-9.
// 5e-10 are for the interval (binomial, 95 %), and 5e-10 for the mean (normal).
class trials {
  public:
    static constexpr int count = 2000;

    void add(const estimated &found, double truth) {
        covered_ += found.ci_low() <= truth && truth <= found.ci_high() ? 1 : 0;
        sum_ += found.value - truth;
        squares_ += (found.value - truth) * (found.value - truth);
        variance_ += found.std_error * found.std_error;
    }

    int covered() const { return covered_; }
    bool covers_95() const { return covered_ >= 1834 && covered_ <= 1955; }
    bool covers_at_least_95() const { return covered_ >= 1834; }
    bool unbiased() const { return std::abs(sum_) <= 6.22 * std::sqrt(squares_); }
    // The error of the estimates against the truth, and the error they claimed, on average.
    double seen_error() const { return std::sqrt(squares_ / count); }
    double said_error() const { return std::sqrt(variance_ / count); }
    // A predicted standard error: the sample's is within 10 % with probability 1 - 5e-10 for an
    // estimate that is normal (2,000 degrees of freedom: 6.2 / sqrt(4,000)).
    bool agrees_with(double std_error) const {
        return std::abs(seen_error() / std_error - 1) <= 0.1;
    }

  private:
    int covered_ = 0;
    double sum_ = 0, squares_ = 0, variance_ = 0;
};

} // namespace sotto::aggregator::test
#endif
