// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_BENJAMINI_HOCHBERG_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_BENJAMINI_HOCHBERG_HPP

#include <span>
#include <vector>

namespace sotto::aggregator {

// Which of these are there at all: of what is called detected, an expected share of at most `rate`
// is not. With the p-values in rising order, all up to the last with p_i <= i rate / m. (Benjamini
// and Hochberg, Controlling the False Discovery Rate, JRSS B 1995.) NaN is never detected, and does
// not count.
std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double rate);

// P(N > z) of a standard normal N.
double normal_upper_tail(double z);

} // namespace sotto::aggregator
#endif
