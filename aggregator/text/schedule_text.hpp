// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TEXT_SCHEDULE_TEXT_HPP
#define SOTTO_AGGREGATOR_TEXT_SCHEDULE_TEXT_HPP

#include "aggregator/plan/schedule.hpp"

#include <string>

namespace sotto::aggregator {

// For a person.
std::string schedule_table(const schedule &made);

// The levels of the last epochs in a state, the oldest first: "- 0 3"; "-": no measurement.
std::string history_text(const policy_schedule &made, std::size_t state);

// The metric's line for metrics.toml.
std::string policy_toml(const policy_schedule &made);

} // namespace sotto::aggregator
#endif
