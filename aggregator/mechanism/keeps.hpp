// SPDX-License-Identifier: Apache-2.0
// A ladder that keeps what the level above it published, or draws one of all answers again: MIX
// (docs/MECHANISMS.md, K).
#ifndef SOTTO_AGGREGATOR_MECHANISM_KEEPS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_KEEPS_HPP

#include "aggregator/mechanism/json_node.hpp"
#include "aggregator/mechanism/mechanism.hpp"

namespace sotto::aggregator {

// "keep" of a table, one a level, each below 2^64. Errors: as json_node.
std::vector<threshold> read_keeps(const json_node &table, std::size_t levels);
// The chance that a level still has the answer that the value drew.
std::vector<level_law> keep_laws(const std::vector<threshold> &keep);
// A line a level, from the top down; `top` is what the top keeps, one of so many answers.
std::string keep_lines(const std::vector<threshold> &keep, const std::string &top,
                       std::uint32_t answers);

// The steps above it where `width` of `size` answers support a value; `even` is width / size.
forward_table read_support_step(const json_node &table);
level_law next_support_law(const forward_table &step, const level_law &last, double even);

} // namespace sotto::aggregator
#endif
