// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_POOLED_LEVELS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_POOLED_LEVELS_HPP

#include "aggregator/estimate/bit_channel.hpp"

#include <optional>

namespace sotto::aggregator {

// Releases of several levels, when which level a release is read at has nothing to do with its
// value: every level then tells of the same share s, and levels are weighted by the inverse of what
// they say it with,
//   n_g / (v_g + s (1 - s)),   v_g the noise of one report given s.
// The estimate is of the count among all releases. Of the weights w_g, which add up to 1, and the
// share's noise V_g at level g its variance is, for releases spread over levels at random,
//   n^2 [sum of w_g^2 V_g + s (1 - s) (sum of w_g^2 / n_g - 1 / n)].
// More accurate than adding levels up, and biased when the choice of level depends on the value:
// then only adding up (bit_channel.hpp) is right. Nothing for fewer than two levels with reports.
// One count and one channel a level.
std::optional<estimated> pool_levels(std::span<const level_count> counts,
                                     std::span<const bit_channel> channels);

} // namespace sotto::aggregator
#endif
