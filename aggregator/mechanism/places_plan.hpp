// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_PLACES_PLAN_HPP
#define SOTTO_AGGREGATOR_MECHANISM_PLACES_PLAN_HPP

#include "aggregator/mechanism/plan_option.hpp"

#include <vector>

namespace sotto::aggregator {

// The strategies of a histogram, by the error of ranges of request.range bins, or of all ranges.
// `epsilon` is of a point that moves by request.delta.
std::vector<plan_option> plan_places(const plan_request &request, double epsilon);

} // namespace sotto::aggregator
#endif
