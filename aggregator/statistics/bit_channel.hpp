// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_BIT_CHANNEL_HPP
#define SOTTO_AGGREGATOR_STATISTICS_BIT_CHANNEL_HPP

#include "aggregator/statistics/estimated.hpp"

#include <span>

namespace sotto::aggregator {

// The probability that a report says yes: where the truth is no (gamma), and where it is yes
// (beta). gamma < beta.
struct bit_channel {
    double one_if_zero = 0;
    double one_if_one = 0;
};

// n reports, C of them yes, have for the number c of true yeses the unbiased estimate
//   (C - n gamma) / (beta - gamma).
// Its variance, for fixed data, is
//   [c beta (1 - beta) + (n - c) gamma (1 - gamma)] / (beta - gamma)^2.
// (Wang et al., Locally Differentially Private Protocols for Frequency Estimation, USENIX Security
// 2017, section 4: "pure protocols".) The standard error has in place of c the estimate, brought
// into [0, n] level by level. Below zero it would promise less than the least noise there can be. A
// category with not one report among few would seem known almost exactly. So it errs, where it
// does, to the wide side. Levels add, values and variances both, whatever decided which release was
// published at which level as long as its noise did not. One count a level, and one channel from
// the truth to that level. Randomized response that flips with probability p (Warner, Randomized
// Response, JASA 1965) is the channel (p, 1 - p).
estimated estimate_bit_channel(std::span<const level_count> counts,
                               std::span<const bit_channel> channels);

// The variance above for a true count, which need not be whole.
double bit_channel_variance(double reports, double count, const bit_channel &channel);

} // namespace sotto::aggregator
#endif
