// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_READ_METRIC_HPP
#define SOTTO_AGGREGATOR_REGISTRY_READ_METRIC_HPP

#include "aggregator/mechanism/json_node.hpp"

namespace sotto::aggregator {

// A budget, or nothing for null.
std::optional<budget> read_budget(const json_node &node, const char *key, const char *epochs_key,
                                  std::uint32_t epochs_max);

// One element of `metrics` in metrics.json, its numbers held against its table. Errors: as
// json_node.
metric read_metric(const json_node &node);

} // namespace sotto::aggregator
#endif
