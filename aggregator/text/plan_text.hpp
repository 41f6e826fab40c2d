// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TEXT_PLAN_TEXT_HPP
#define SOTTO_AGGREGATOR_TEXT_PLAN_TEXT_HPP

#include "aggregator/plan/plan.hpp"

namespace sotto::aggregator {

// For whoever decides: what to use, what it costs, what it shows, what else there is, and the lines
// of metrics.toml.
std::string plan_table(const plan &made);
} // namespace sotto::aggregator
#endif
