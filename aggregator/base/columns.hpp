// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_COLUMNS_HPP
#define SOTTO_AGGREGATOR_BASE_COLUMNS_HPP

#include <limits>
#include <string>
#include <vector>

namespace sotto::aggregator {

// Lines of cells, two blanks between columns: the first `left` columns and the last one to the
// left, the others to the right. Every line has as many cells.
std::string aligned(const std::vector<std::vector<std::string>> &table, std::size_t left = 1);

// A table in lines of `most` characters. Cells of the columns `first` to `last` are shortened in
// their middle where they must be, to 12 characters at least.
std::string aligned_within(std::size_t most, std::vector<std::vector<std::string>> table,
                           std::size_t left, std::size_t first, std::size_t last);

// In characters: lines are never wrapped.
inline constexpr std::size_t any_width = std::numeric_limits<std::size_t>::max();
// The width of standard output, in characters. Without a terminal, lines of any width are taken.
std::size_t terminal_width();

// Characters of the widest line.
std::size_t line_width(const std::string &text);

// In lines of `most` characters where its words let it be, all but the first after two blanks more
// than the first.
std::string wrapped(const std::string &line, std::size_t most);

} // namespace sotto::aggregator
#endif
