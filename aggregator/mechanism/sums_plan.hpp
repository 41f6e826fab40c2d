// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_SUMS_PLAN_HPP
#define SOTTO_AGGREGATOR_MECHANISM_SUMS_PLAN_HPP

#include "aggregator/mechanism/plan_option.hpp"

#include <vector>

namespace sotto::aggregator {

// The strategies of a counter by the error of a window, of a running total or of a sum that fades:
// request.window, prefix or decay. `epsilon` is of an event.
std::vector<plan_option> plan_sums(const plan_request &request, double epsilon);

} // namespace sotto::aggregator
#endif
