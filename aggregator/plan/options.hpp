// SPDX-License-Identifier: Apache-2.0
// What plan.cpp chooses from: every mechanism of a type at a given epsilon, with its costs and
// errors.
#ifndef SOTTO_AGGREGATOR_PLAN_OPTIONS_HPP
#define SOTTO_AGGREGATOR_PLAN_OPTIONS_HPP

#include "aggregator/plan/plan.hpp"

namespace sotto::aggregator {

// Of the request's type, which has been checked; `epsilon` is of a release and may be spent in
// full.
std::vector<plan_option> options_at(const plan_request &request, double epsilon);
// Which of them to use.
std::size_t best_of(const plan_request &request, const std::vector<plan_option> &options,
                    double questions);

// What the chosen one shows at less epsilon, and at another pace.
void add_levels(plan &to);
void add_paces(plan &to);

} // namespace sotto::aggregator
#endif
