// SPDX-License-Identifier: Apache-2.0
// A bit that each level flips, from the top of the ladder down: randomized response, and the mean
// that is one bit.
#ifndef SOTTO_AGGREGATOR_MECHANISM_FLIPS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_FLIPS_HPP

#include "aggregator/mechanism/json_node.hpp"
#include "aggregator/mechanism/mechanism.hpp"

namespace sotto::aggregator {

// A list of `levels` numbers from 1 to `most`. Errors: as json_node.
std::vector<threshold> read_thresholds(const json_node &node, std::size_t levels, threshold most);
// Flips below one half: what is published still points to the truth.
std::vector<threshold> read_flips(const json_node &table, std::size_t levels);

// Answers of a mechanism that flips one bit (mechanism.hpp). `flip` is by level, out of 2^64.
std::vector<level_law> flip_laws(const std::vector<threshold> &flip);
// `step` is a forward_bits_table.
level_law next_flip_law(const forward_table &step, const level_law &last);
// ln((1 - flip) / flip), for flip in (0, 1/2).
double flip_loss(const level_law &law);
// A line a level, from the top down.
std::string flip_lines(const std::vector<threshold> &flip);

} // namespace sotto::aggregator
#endif
