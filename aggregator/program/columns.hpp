// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_COLUMNS_HPP
#define SOTTO_AGGREGATOR_PROGRAM_COLUMNS_HPP

#include <string>
#include <vector>

namespace sotto::aggregator {

// Lines of cells, two blanks between columns: the first `left` columns and the last one to the
// left, the others to the right. Every line has as many cells.
std::string aligned(const std::vector<std::vector<std::string>> &table, std::size_t left = 1);

} // namespace sotto::aggregator
#endif
