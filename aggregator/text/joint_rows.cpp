// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/joint_rows.hpp"

#include "aggregator/statistics/selective_intervals.hpp"

#include <algorithm>

namespace sotto::aggregator {

std::vector<joint_row> rows_of(const joint_table &table) {
    std::vector<joint_row> out;
    const std::size_t seconds = table.second.values().size();
    for (std::size_t c = 0; c < table.fit.cells.size(); ++c) {
        if (table.fit.cells[c]) {
            out.push_back({table.first.values()[c / seconds], table.second.values()[c % seconds],
                           *table.fit.cells[c]});
        }
    }
    std::vector<compared_estimate> compared;
    for (joint_row &row : out) {
        compared.push_back({&row.result});
    }
    allow_for_selection(std::move(compared), out.size());
    return out;
}

std::optional<cells_undetermined> cells_left_out(const joint_table &table) {
    const auto left_out = static_cast<std::uint64_t>(
        std::ranges::count_if(table.fit.cells, [](const auto &cell) { return !cell; }));
    return left_out > 0 ? std::optional(cells_undetermined{left_out}) : std::nullopt;
}

} // namespace sotto::aggregator
