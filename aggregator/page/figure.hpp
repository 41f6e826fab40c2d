// SPDX-License-Identifier: Apache-2.0
// Figures of the page. They are empty until charts.js draws them from tables, which say the same in
// words.
#ifndef SOTTO_AGGREGATOR_PAGE_FIGURE_HPP
#define SOTTO_AGGREGATOR_PAGE_FIGURE_HPP

#include "aggregator/page/row_table.hpp"

#include <string>

namespace sotto::aggregator {

// Bars of the first `most` rows of a table, all or fewer; columns where their order says something.
std::string bar_figure(const shown_rows &shown, const table_shape &table, std::size_t most);
// The rows of a table of epochs as a line with a band.
std::string time_figure(const shown_rows &shown, const table_shape &table);
// Bins of a distribution, likewise.
std::string bin_figure(const shown_rows &bins, const table_shape &table);
// Values over epochs, a line each, from the tables of these ids: the first is the newest epoch's.
std::string trend_figure(const shown_rows &values, const std::vector<std::string> &tables);

} // namespace sotto::aggregator
#endif
