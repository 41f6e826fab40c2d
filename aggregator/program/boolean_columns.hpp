// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_BOOLEAN_COLUMNS_HPP
#define SOTTO_AGGREGATOR_PROGRAM_BOOLEAN_COLUMNS_HPP

#include "aggregator/base/csv.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/registry/registry.hpp"

#include <optional>
#include <set>

namespace sotto::aggregator {

// Where a boolean metric's values come from.
struct boolean_column {
    const metric *of = nullptr;
    std::size_t column = 0;
    // What the user listed is `listed`, anything else is not; with nothing listed a cell is one of
    // true/false, yes/no, 1/0, in any case.
    std::set<std::string, std::less<>> texts;
    bool listed = true;

    // Nothing for an empty cell. Errors: usage_error with row and column when the cell fits
    // nothing.
    std::optional<bool> read(const std::vector<std::string> &cells, const csv_file &from) const;
};

// By metric id. Errors: usage_error naming the option, and what there is.
std::vector<boolean_column> map_columns(const mapping_options &options, const registry &with,
                                        const csv_file &from);

} // namespace sotto::aggregator
#endif
