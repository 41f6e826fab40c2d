// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_READ_WORDS_HPP
#define SOTTO_AGGREGATOR_REGISTRY_READ_WORDS_HPP

#include "aggregator/mechanism/json_node.hpp"

namespace sotto::aggregator {

// The words of metrics.json, of a metric and of the whole registry; nothing where it has none, as
// those of older compilers. Errors: as json_node.
metric_words read_words(const json_node &metric_node);
std::optional<calendar> read_calendar(const json_node &root);

} // namespace sotto::aggregator
#endif
