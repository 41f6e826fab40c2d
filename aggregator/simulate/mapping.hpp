// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_MAPPING_HPP
#define SOTTO_AGGREGATOR_SIMULATE_MAPPING_HPP

#include "aggregator/base/csv.hpp"
#include "aggregator/simulate/cell_value.hpp"

#include <optional>

namespace sotto::aggregator {

// The texts of --map, --true, --false and --scale.
struct mapping_options {
    std::vector<std::string> map;                     // METRIC=COLUMN[,METRIC=COLUMN...]
    std::vector<std::string> true_texts, false_texts; // METRIC=TEXT[|TEXT...]
    std::vector<std::string> scales;                  // METRIC=N
};

// A device, with all its values; or what one device met in one epoch.
enum class row_meaning { device, dated };

// Where a metric's values come from.
struct mapped_column {
    const metric *subject = nullptr;
    std::optional<std::size_t> column; // nothing: every row is an event of 1
    cell_reader reader;

    // Nothing for an empty cell. Errors: usage_error with row and column when the cell fits
    // nothing.
    std::optional<cell_value> read(const std::vector<std::string> &cells, const csv_file &from);
};

// By metric id. Counters need rows that are dated; --map METRIC alone counts these. Errors:
// usage_error naming the option, and what there is.
std::vector<mapped_column> map_columns(const mapping_options &options, const registry &with,
                                       const csv_file &from, row_meaning rows);

// The index of a column. Errors: usage_error naming the option, and what there is.
std::size_t find_column(const std::string &name, const csv_file &from, const char *option);

// A line for each text of --true and --false that no row had: it may be misspelt.
std::vector<std::string> texts_unseen(const std::vector<mapped_column> &columns);

} // namespace sotto::aggregator
#endif
