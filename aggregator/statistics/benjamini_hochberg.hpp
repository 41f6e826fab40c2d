// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_BENJAMINI_HOCHBERG_HPP
#define SOTTO_AGGREGATOR_STATISTICS_BENJAMINI_HOCHBERG_HPP

#include <cstdint>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Tests of many values, a p-value each: is the value there at all? These functions say of each
// whether it is detected, in the order of the p-values. A p-value is 0 to 1, or NaN: never
// detected, and not counted among the m tests. `rate` is a share between 0 and 1.

// On average at most `rate` of the detected values are not there. The p-values are put in rising
// order. All up to the last with p_i <= i rate / m are detected (Benjamini and Hochberg,
// Controlling the False Discovery Rate, JRSS B 1995).
std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double rate);

// Stricter: with probability 1 - `rate` every detected value is there. All with p <= rate / m are
// detected.
std::vector<bool> bonferroni(std::span<const double> p_values, double rate);

// Allows for the number of tests, by one of the two.
enum class correction : std::uint8_t { benjamini_hochberg, bonferroni };
std::vector<bool> detect(std::span<const double> p_values, double rate, correction by);
// The p-value, 0 to `rate`, up to which any one of the detected values would still be detected,
// with the others as they are. At least one p-value is a number.
double detection_level(std::span<const double> p_values, const std::vector<bool> &detected,
                       double rate, correction by);

// P(N > z) of a standard normal N, for any z; NaN for NaN. The point is the z that N exceeds
// with probability `tail`, above 0 and at most 1/2: z is 0 to 40.
double normal_upper_tail(double z);
double normal_upper_point(double tail);
// P(X > z) of a gamma law with that skewness, mean 0 and variance 1, for any z; NaN for NaN. Its
// cube root is nearly normal (Wilson and Hilferty, The Distribution of Chi-square, PNAS 1931). For
// a skewness not above 0 it is the normal law.
double skew_upper_tail(double z, double skewness);
// The tail and its point for Student's t. The standard error in it was estimated with so many
// degrees of freedom, above 0. `tail` is between 0 and 1. Throws std::domain_error outside of
// these.
double t_upper_tail(double t, double freedom);
double t_upper_point(double tail, double freedom);

} // namespace sotto::aggregator
#endif
