// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_READ_TABLE_HPP
#define SOTTO_AGGREGATOR_REGISTRY_READ_TABLE_HPP

#include "aggregator/registry/json_node.hpp"

namespace sotto::aggregator {

// What `table` of a metric in metrics.json holds, each number within its range. `of` has type and
// mechanism; one-bit means and thresholds are told apart by the metric's own keys. Errors: as
// json_node.
mechanism_table read_table(const json_node &metric_node, const metric &of, std::size_t levels);

// What `table` of a forward level holds.
forward_table read_forward_table(const json_node &table, const metric &of);

} // namespace sotto::aggregator
#endif
