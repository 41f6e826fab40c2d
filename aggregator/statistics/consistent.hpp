// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_CONSISTENT_HPP
#define SOTTO_AGGREGATOR_STATISTICS_CONSISTENT_HPP

#include <span>
#include <vector>

namespace sotto::aggregator {

// Counts that can be: the nearest to `counts`, in least squares. Each is between 0 and `each`, and
// all add up to `sum`, or where they `may_be_less` to at most that. For a category of n releases
// this is Norm-Sub, a projection onto the simplex. (Wang, Lopuhaa-Zwakenberg, Li, Skoric, Li,
// Locally Differentially Private Frequency Estimation with Consistency, NDSS 2020.) No longer
// unbiased, and without an interval of its own. `sum` is at most as many times `each` as there are
// counts.
std::vector<double> consistent_counts(std::span<const double> counts, double each, double sum,
                                      bool may_be_less);

} // namespace sotto::aggregator
#endif
