// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_RANDOMIZED_RESPONSE_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_RANDOMIZED_RESPONSE_HPP

#include <cstdint>
#include <span>

namespace sotto::aggregator {

// How many releases were read at one level, and how many of them said true.
struct level_count {
    std::uint64_t reports = 0;
    std::uint64_t ones = 0;
};

struct estimated {
    double value = 0;     // of how many the truth is true; unbiased, so it may leave [0, reports]
    double std_error = 0; // exact, given the flip probabilities: it comes from the noise alone
    std::uint64_t reports = 0;

    double ci_low() const { return value - half_width(); }
    double ci_high() const { return value + half_width(); }
    double half_width() const { return 1.959963984540054 * std_error; } // pointwise 95 %
};

// n reports, `ones` of them true, each flipped with probability p, have the unbiased estimate
//   (ones - n p) / (1 - 2p)   of variance   n p (1 - p) / (1 - 2p)^2,
// and levels add. One count and one flip probability, in (0, 1/2), a level.
estimated estimate_randomized_response(std::span<const level_count> counts,
                                       std::span<const double> flip);

// The standard error of n reports at one level.
double randomized_response_std_error(double reports, double flip);

} // namespace sotto::aggregator
#endif
