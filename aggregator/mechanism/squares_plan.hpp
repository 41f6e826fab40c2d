// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_SQUARES_PLAN_HPP
#define SOTTO_AGGREGATOR_MECHANISM_SQUARES_PLAN_HPP

#include "aggregator/mechanism/plan_option.hpp"

#include <vector>

namespace sotto::aggregator {

// Grids of a location, by the error of boxes of request.range cells a side, wherever they begin.
// Noise is in it, and squares that a box cuts, for points that are spread evenly. `epsilon` is of a
// point that moves by request.delta.
std::vector<plan_option> plan_squares(const plan_request &request, double epsilon);

} // namespace sotto::aggregator
#endif
