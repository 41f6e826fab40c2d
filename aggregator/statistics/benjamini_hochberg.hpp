// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_BENJAMINI_HOCHBERG_HPP
#define SOTTO_AGGREGATOR_STATISTICS_BENJAMINI_HOCHBERG_HPP

#include <cstdint>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Whether each is there at all: an expected share of at most `rate` of the detected ones is
// not. With the p-values in rising order, all up to the last with p_i <= i rate / m. (Benjamini and
// Hochberg, Controlling the False Discovery Rate, JRSS B 1995.) NaN is never detected, and does not
// count.
std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double rate);

// The stricter one: with probability 1 - `rate` nothing is called detected that is not there. All
// with p <= rate / m.
std::vector<bool> bonferroni(std::span<const double> p_values, double rate);

// How it is made up for that many are asked for.
enum class correction : std::uint8_t { benjamini_hochberg, bonferroni };
std::vector<bool> detect(std::span<const double> p_values, double rate, correction by);
// The greatest p-value that any one of those `detected` could have had, the others as they are.
double detection_level(std::span<const double> p_values, const std::vector<bool> &detected,
                       double rate, correction by);

// P(N > z) of a standard normal N, and the z that it is `tail` for, in (0, 1/2].
double normal_upper_tail(double z);
double normal_upper_point(double tail);
// The same of a gamma law with that skewness, mean 0 and variance 1. Its cube root is nearly normal
// (Wilson and Hilferty, The Distribution of Chi-square, PNAS 1931). For a skewness not above 0 it
// is the normal law.
double skew_upper_tail(double z, double skewness);
// The same of Student's t: of what is divided by a standard error that was estimated with so many
// degrees of freedom, above 0.
double t_upper_tail(double t, double freedom);
double t_upper_point(double tail, double freedom);

} // namespace sotto::aggregator
#endif
