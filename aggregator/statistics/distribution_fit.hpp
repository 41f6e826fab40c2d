// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_DISTRIBUTION_FIT_HPP
#define SOTTO_AGGREGATOR_STATISTICS_DISTRIBUTION_FIT_HPP

#include <vector>

namespace sotto::aggregator {

// Shares of bins and quantiles, in bins, with standard errors.
struct distribution_fit {
    std::vector<double> shares, share_errors;
    std::vector<double> quantiles, quantile_errors;
};

} // namespace sotto::aggregator
#endif
