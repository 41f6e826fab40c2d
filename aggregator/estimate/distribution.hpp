// SPDX-License-Identifier: Apache-2.0
// The shape of numbers: shares of bins and quantiles.
#ifndef SOTTO_AGGREGATOR_ESTIMATE_DISTRIBUTION_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_DISTRIBUTION_HPP

#include "aggregator/estimate/rows.hpp"

#include <vector>

namespace sotto::aggregator {

struct distribution_row {
    row_value value; // a quantile or bin
    estimated result;
};

// Quantiles first, then the bins in order. Quantiles are numbers of the range, bins are counts of
// releases. The metric is a distribution.
std::vector<distribution_row> estimate_distribution(const metric &m, const metric_tally &tally);

} // namespace sotto::aggregator
#endif
