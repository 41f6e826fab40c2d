// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_READ_LADDER_HPP
#define SOTTO_AGGREGATOR_REGISTRY_READ_LADDER_HPP

#include "aggregator/mechanism/json_node.hpp"

namespace sotto::aggregator {

// Levels of a ladder; those above it come on top.
inline constexpr std::size_t levels_max = 16;

// Reads what a metric promises into `m`, whose table is there already: levels, pairs, joint,
// forward. Every printed number rests on the thresholds. A number that can be recomputed from the
// table is, and a file in which the two disagree is refused. Errors: as json_node.
void read_ladder(const json_node &node, metric &m);

} // namespace sotto::aggregator
#endif
