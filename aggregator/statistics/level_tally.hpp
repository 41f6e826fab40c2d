// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_LEVEL_TALLY_HPP
#define SOTTO_AGGREGATOR_STATISTICS_LEVEL_TALLY_HPP

#include "aggregator/statistics/discrete_laplace.hpp"

#include <vector>

namespace sotto::aggregator {

// All that any estimator needs of the releases that were read at one level. What a metric's values
// are not stays empty.
struct level_tally {
    std::uint64_t reports = 0;
    std::vector<std::uint64_t> ones;    // index: by index; bits: by cohort, then by bit
    std::vector<std::uint64_t> cohorts; // bits: reports by cohort
    std::vector<number_count> numbers;  // by coordinate; a number is one
};

// By level. Tallies of the same metric add up, level by level and count by count.
using metric_tally = std::vector<level_tally>;

} // namespace sotto::aggregator
#endif
