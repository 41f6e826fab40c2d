// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_DISCRETE_LAPLACE_HPP
#define SOTTO_AGGREGATOR_STATISTICS_DISCRETE_LAPLACE_HPP

#include "aggregator/statistics/estimated.hpp"
#include "aggregator/statistics/level_tally.hpp"

#include <span>

namespace sotto::aggregator {

// y = clamp(u + V, [min, max]) with P(V = k) = (1 - q) / (1 + q) q^|k|, q = e^-epsilon, epsilon per
// unit. (Ghosh, Roughgarden, Sundararajan, Universally Utility-maximizing Privacy Mechanisms, 2009;
// the corrections are ours.) Given that y stands at max, u + V - max is geometric, whatever u in
// [min, max]. So
//   g(max) = max + q / (1 - q),   g(min) = min - q / (1 - q),   g(y) = y between
// is unbiased for u. It replaces what lay beyond an end by its mean. Its variance is therefore
//   2q / (1 - q)^2 - P(y is at an end) q / (1 - q)^2.
// The estimate of the mean of u is the mean of g. Its variance, of the noise alone, is estimated
// without bias from how many reports stand at an end:
//   q / (1 - q)^2 (2n - n at min - n at max) / n^2.
// For a vector, each coordinate. Levels add as totals. One count and one epsilon a level.
estimated estimate_discrete_laplace(std::span<const number_count> counts,
                                    std::span<const double> unit_epsilon);

// The value of g at an end: q / (1 - q).
double discrete_laplace_end(double unit_epsilon);
// The variance of V: 2q / (1 - q)^2.
double discrete_laplace_variance(double unit_epsilon);

} // namespace sotto::aggregator
#endif
