// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_RISING_HPP
#define SOTTO_AGGREGATOR_STATISTICS_RISING_HPP

#include <span>
#include <vector>

namespace sotto::aggregator {

// The numbers nearest to these in least squares that never fall: isotonic regression, by pooling
// adjacent violators (Ayer, Brunk, Ewing, Reid, Silverman 1955). No longer unbiased, and without an
// interval of its own.
std::vector<double> rising(std::span<const double> numbers);

} // namespace sotto::aggregator
#endif
