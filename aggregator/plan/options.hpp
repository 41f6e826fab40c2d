// SPDX-License-Identifier: Apache-2.0
// The options of plan.cpp: every mechanism of a type at a given epsilon, with its costs and
// errors.
#ifndef SOTTO_AGGREGATOR_PLAN_OPTIONS_HPP
#define SOTTO_AGGREGATOR_PLAN_OPTIONS_HPP

#include "aggregator/plan/plan.hpp"

namespace sotto::aggregator {

// Options for the request's type, which has been checked; `epsilon` is a release's and may be spent
// in full.
std::vector<plan_option> options_at(const plan_request &request, double epsilon);
// The index of the option to use.
std::size_t best_of(const plan_request &request, const std::vector<plan_option> &options,
                    double questions);

// Adds the chosen option at less epsilon, and at another pace.
void add_levels(plan &made);
void add_paces(plan &made);

} // namespace sotto::aggregator
#endif
