// SPDX-License-Identifier: Apache-2.0
// The choice of noise, and of a Bloom filter for strings.
#ifndef SOTTO_AGGREGATOR_MECHANISM_RAPPOR_PLAN_HPP
#define SOTTO_AGGREGATOR_MECHANISM_RAPPOR_PLAN_HPP

#include "aggregator/mechanism/plan_option.hpp"

#include <vector>

namespace sotto::aggregator {

// Enough that 16 rows of the fit, `bits` a cohort, stand behind each candidate, and at least 8. Two
// strings that share bits in one cohort don't in most others.
std::uint32_t cohorts_for(std::uint32_t bits, double candidates);
// For strings: the shapes that the request leaves open are tried. Empty where the caps allow no
// noise.
std::vector<plan_option> string_options(const plan_request &request, double epsilon);
// For a category that is reported again and again: the value is protected as long as it stays.
std::vector<plan_option> one_hot_options(const plan_request &request, double epsilon);

} // namespace sotto::aggregator
#endif
