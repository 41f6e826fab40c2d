// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_ONE_BIT_MEAN_HPP
#define SOTTO_AGGREGATOR_STATISTICS_ONE_BIT_MEAN_HPP

#include "aggregator/statistics/estimated.hpp"

#include <span>

namespace sotto::aggregator {

// Maps a number to the chance of its bit.
struct one_bit_range {
    std::int32_t min = 0;
    std::uint32_t scale = 0; // as in the device's table: floor((2^32 - 1) / (max - min))
};

// The number x was rounded at random to a bit: one with probability (x - min) scale / 2^32. Then
// the bit was flipped with probability p. (Ding, Kulkarni, Yekhanin, Collecting Telemetry Data
// Privately, NIPS 2017, section 2.) With C ones among n reports the mean of x has the unbiased
// estimate
//   min + 2^32 / scale * (C / n - p) / (1 - 2p).
// Its variance holds the rounding too, which depends on every x. It is the sum of P_i (1 - P_i)
// over n^2, with P_i the chance that report i is a one. By Jensen that is at most P (1 - P) / n of
// the mean chance P. The observed bits give this without bias as C (n - C) / (n^2 (n - 1)). The
// variance is at least p (1 - p) / n. The larger of the two is used: never too small in
// expectation, and equal to the truth when all x are equal. Levels add as totals. One count and one
// marginal flip a level.
estimated estimate_one_bit_mean(std::span<const level_count> counts, std::span<const double> flip,
                                const one_bit_range &range);

} // namespace sotto::aggregator
#endif
