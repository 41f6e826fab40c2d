// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_LEVEL_WEIGHTS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_LEVEL_WEIGHTS_HPP

#include "aggregator/statistics/pooled_levels.hpp"
#include "aggregator/tally/tally.hpp"

namespace sotto::aggregator {

// Let the level that a release is read at have nothing to do with its value. Every level then tells
// of the same share or mean, and levels are best weighted by the inverse of their variance,
//   w_g ~ n_g / (v_g + S),   v_g the noise of one report, S the variance of the values.
// These are the weights, which add up to 1, by level: none of a level without reports. They are the
// metric's, not the data's, so that the estimate is unbiased. v and S are those of a share of a
// half, for categories those of an even one. For numbers S = (max - min)^2 / 4, the most there can
// be. With it pooling is never less accurate than adding levels up, which has the weights n_g / n.
// A device may stay at its level, and say the same: of R reports of each, S is R times as large.
// Not for strings (rappor.hpp).
std::vector<double> level_weights(const metric &m, const metric_tally &tally,
                                  const reports_again &again = {});

} // namespace sotto::aggregator
#endif
