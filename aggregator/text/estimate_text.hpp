// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TEXT_ESTIMATE_TEXT_HPP
#define SOTTO_AGGREGATOR_TEXT_ESTIMATE_TEXT_HPP

#include "aggregator/base/columns.hpp"
#include "aggregator/estimate/estimate.hpp"

#include <vector>

namespace sotto::aggregator {

// For people: shares, counts and means with their 95 % intervals, and how to narrow them. Text that
// does not fit in `width` characters is wrapped. A table first loses its lesser columns, and then
// names are shortened.
std::string estimate_table(const std::vector<estimate_row> &rows, std::size_t width = any_width);
// The limits of so few reports at their epsilon, and how many would do. One line for each metric
// and epoch whose widest 95 % interval is more than 10 % to either side. One too where strings
// would be found only when more than 10 % have them.
std::vector<std::string> fleet_warnings(const std::vector<estimate_row> &rows);
// Warnings for metrics whose reports gave no row. The largest epoch of each metric speaks.
std::vector<std::string> fleet_warnings(const std::vector<unanswered> &questions);
} // namespace sotto::aggregator
#endif
