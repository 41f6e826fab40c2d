// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_RAPPOR_SCREEN_HPP
#define SOTTO_AGGREGATOR_STATISTICS_RAPPOR_SCREEN_HPP

#include "aggregator/statistics/rappor_design.hpp"

namespace sotto::aggregator {

// At most `most` of the candidates: those that a non-negative lasso over all of them gives a share.
// It minimizes this:
//   1/2 sum of weight (share - fitted)^2 + lambda sum over k of |column k| share_k
// Shares and background are >= 0, and the background is free of charge. (Tibshirani, JRSS B 1996;
// by coordinate descent: Friedman, Hastie, Tibshirani, JSS 2010.) As |column| is weighted, lambda
// is in standard errors of one candidate beside a fit of the others. It is chosen so that noise
// alone brings in about a twentieth of `most`. More would pull down the shares that are really
// there. In rising order.
std::vector<std::size_t> screen(const rappor_design &design, std::size_t most);

} // namespace sotto::aggregator
#endif
