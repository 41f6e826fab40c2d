// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/joint_text.hpp"

#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/text/estimate_phrases.hpp"
#include "aggregator/text/remark_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace sotto::aggregator {
namespace {

std::string left_out(const joint_table &table) {
    const auto cells = cells_left_out(table);
    return cells ? words_of(*cells) + "\n" : "";
}

} // namespace

std::string joint_text(const joint_table &table, std::size_t width) {
    const std::vector<joint_row> joint_rows = rows_of(table);
    std::vector<const joint_row *> rows;
    std::ranges::transform(joint_rows, std::back_inserter(rows),
                           [](const joint_row &r) { return &r; });
    std::stable_sort(rows.begin(), rows.end(), [](const joint_row *a, const joint_row *b) {
        return a->result.value > b->result.value;
    });
    const auto name = [](const release_value &value) {
        return value.is == value_class::named ? string_text(value.text) : "(" + value.text + ")";
    };
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < std::min(rows_shown, rows.size()); ++i) {
        const estimated &r = rows[i]->result;
        const auto percent = [&](double count) {
            return fmt::format("{:.1f} %", 100 * count / static_cast<double>(r.reports));
        };
        cells.push_back({name(rows[i]->first), name(rows[i]->second), percent(r.value),
                         interval_text(r, "± " + percent(r.half_width()), percent),
                         rounded(r.value), "of " + counted(r.reports, "pair")});
    }
    return fmt::format("{} and {}, {}, together epsilon at most {}\n",
                       table.first.subject().shown_name(), table.second.subject().shown_name(),
                       epoch_text(table.first.subject().words.days, table.epoch),
                       rounded_up(table.epsilon)) +
           aligned_within(width, cells, 2, 0, 1) + fmt::format("{}\n", interval_in_words) +
           (rows.size() > 1 ? fmt::format("{}\n", picked_in_words) : "") +
           (rows.size() > rows_shown ? fmt::format("{} more, all smaller; --format csv has all\n",
                                                   grouped(rows.size() - rows_shown))
                                     : "") +
           left_out(table);
}

} // namespace sotto::aggregator
