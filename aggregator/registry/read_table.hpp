// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_READ_TABLE_HPP
#define SOTTO_AGGREGATOR_REGISTRY_READ_TABLE_HPP

#include "aggregator/registry/json_node.hpp"

namespace sotto::aggregator {

// Reads `table` of a metric in metrics.json, each number within its range. `of` has type and
// mechanism; the metric's own keys tell one-bit means and thresholds apart. Errors: as json_node.
mechanism_table read_table(const json_node &metric_node, const metric &of, std::size_t levels);

// Reads `table` of a forward level.
forward_table read_forward_table(const json_node &table, const metric &of);

} // namespace sotto::aggregator
#endif
