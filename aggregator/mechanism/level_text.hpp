// SPDX-License-Identifier: Apache-2.0
// Words for the integers of a ladder, and the same as JSON.
#ifndef SOTTO_AGGREGATOR_MECHANISM_LEVEL_TEXT_HPP
#define SOTTO_AGGREGATOR_MECHANISM_LEVEL_TEXT_HPP

#include "aggregator/mechanism/tables.hpp"

#include <string>

namespace sotto::aggregator {

// "    level 0: what", and the end of the line.
std::string level_line(std::size_t level, const std::string &what);
// The input of a level's noise: the level above it, or the value.
std::string source_of(std::size_t level, std::size_t count);

// "1", "2": a double of JSON can't hold them.
std::vector<std::string> digits_of(const std::vector<threshold> &thresholds);

} // namespace sotto::aggregator
#endif
