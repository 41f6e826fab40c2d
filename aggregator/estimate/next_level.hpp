// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_NEXT_LEVEL_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_NEXT_LEVEL_HPP

#include "aggregator/statistics/estimated.hpp"
#include "aggregator/tally/tally.hpp"

#include <optional>

namespace sotto::aggregator {

// The standard error of as many releases published at `level`, were the truth what was found here.
// Nothing for strings, whose error depends on all the others. A number is taken to be the same on
// every device.
std::optional<double> std_error_at(const metric &m, std::size_t level, const estimated &found);

// The level above the one that most releases have, or the highest if they have that: as long as any
// release is below it.
std::optional<std::size_t> next_level(const metric_tally &tally);

// The standard error of the same releases if those below `level` had been relaxed to it. Strings:
// what was found, in proportion to the errors that are to be expected before there are reports
// (expected_share_error). The fit has so many candidates. `of_a_value` as in repeated_reports
// (rappor.hpp).
double std_error_if_relaxed(const metric &m, const metric_tally &tally, std::size_t level,
                            const estimated &found, std::size_t candidates, double of_a_value = 1);

} // namespace sotto::aggregator
#endif
