// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_RANDOMIZED_RESPONSE_HPP
#define SOTTO_AGGREGATOR_STATISTICS_RANDOMIZED_RESPONSE_HPP

#include "aggregator/statistics/estimated.hpp"

#include <span>

namespace sotto::aggregator {

// n reports, `ones` of them true, each flipped with probability p, have the unbiased estimate
//   (ones - n p) / (1 - 2p)   of variance   n p (1 - p) / (1 - 2p)^2.
// Both are exact whatever the data, and levels add. (Warner, Randomized Response, JASA 1965.) One
// count and one flip probability, in (0, 1/2), a level. Thresholded Laplace noise is a flip too,
// and its bits are estimated here with the flip that the registry gives for the level.
estimated estimate_randomized_response(std::span<const level_count> counts,
                                       std::span<const double> flip);

// The standard error of n reports at one level.
double randomized_response_std_error(double reports, double flip);

} // namespace sotto::aggregator
#endif
