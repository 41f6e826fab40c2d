// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROMISE_TABLE_TEXT_HPP
#define SOTTO_AGGREGATOR_PROMISE_TABLE_TEXT_HPP

#include "aggregator/registry/registry.hpp"

namespace sotto::aggregator {

// The integers in the device's flash: a line a level, from the top of the ladder down, as they are
// drawn.
std::string thresholds_text(const metric &m);

// The same as JSON, as in metrics.json: integers that a double can't hold are strings.
std::string table_json(const metric &m);

// The probabilities of a level that its mechanism has: names as in metrics.json.
std::vector<std::pair<const char *, double>> probabilities(const metric &m, const level_law &law);

} // namespace sotto::aggregator
#endif
