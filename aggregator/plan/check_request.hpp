// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PLAN_CHECK_REQUEST_HPP
#define SOTTO_AGGREGATOR_PLAN_CHECK_REQUEST_HPP

#include "aggregator/plan/plan.hpp"

namespace sotto::aggregator {

// The least epsilon of a registry.
inline constexpr double epsilon_min = 0.001;

// Errors: usage_error naming the option that is missing, out of place or out of range.
void check_request(const plan_request &request);

} // namespace sotto::aggregator
#endif
