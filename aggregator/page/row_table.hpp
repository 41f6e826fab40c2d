// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PAGE_ROW_TABLE_HPP
#define SOTTO_AGGREGATOR_PAGE_ROW_TABLE_HPP

#include "aggregator/page/row_words.hpp"

#include <string>

namespace sotto::aggregator {

// A table of the page; figures are drawn from it by its id. The caption is HTML.
struct table_shape {
    std::string id, caption;
    bool by_epoch = false; // a row is an epoch, otherwise a value
};

// All that the rows have in common stands above them, once. `rows` are all that could be shown.
std::string row_table(const shown_rows &shown, const table_shape &shape, row_group rows);

} // namespace sotto::aggregator
#endif
