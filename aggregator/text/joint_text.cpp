// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/joint_text.hpp"

#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/statistics/selective_intervals.hpp"
#include "aggregator/text/estimate_phrases.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace sotto::aggregator {
namespace {

struct joint_row {
    const release_value &first, &second;
    estimated result;
};

std::vector<joint_row> rows_of(const joint_table &table) {
    std::vector<joint_row> out;
    const std::size_t seconds = table.second.values().size();
    for (std::size_t c = 0; c < table.fit.cells.size(); ++c) {
        if (table.fit.cells[c]) {
            out.push_back({table.first.values()[c / seconds], table.second.values()[c % seconds],
                           *table.fit.cells[c]});
        }
    }
    std::vector<compared_estimate> all;
    for (joint_row &row : out) {
        all.push_back({&row.result});
    }
    allow_for_selection(std::move(all), out.size());
    return out;
}

// "" of what was reported itself. A candidate may be called as the others are.
const char *kind_text(const release_value &value) {
    constexpr const char *texts[] = {"", "too_long", "dummy", "other"};
    return texts[static_cast<std::size_t>(value.is)];
}

std::string kind_json(const release_value &value) {
    return value.is == value_class::named ? "null" : json_text(kind_text(value));
}

std::string value_csv(const release_value &value) {
    return value.is == value_class::other ? "" : csv_field(value.text);
}

// A boolean's and a numbered category's texts are JSON as they are.
std::string value_json(const metric &of, const release_value &value) {
    const bool is_text =
        of.type == SOTTO_TYPE_STRING || !of.names.empty() || value.is != value_class::named;
    return value.is == value_class::other ? "null" : is_text ? json_text(value.text) : value.text;
}

std::string left_out(const joint_table &table, std::size_t rows) {
    return rows == table.fit.cells.size()
               ? ""
               : fmt::format("{} left out, as the reports don't tell them from others\n",
                             counted(table.fit.cells.size() - rows, "cell"));
}

} // namespace

std::string joint_text(const joint_table &table, std::size_t width) {
    const std::vector<joint_row> all = rows_of(table);
    const std::string note = left_out(table, all.size());
    std::vector<const joint_row *> rows;
    std::ranges::transform(all, std::back_inserter(rows), [](const joint_row &r) { return &r; });
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
    return fmt::format("{} and {}, epoch {}, together epsilon at most {}\n", table.first.of().name,
                       table.second.of().name, table.epoch, rounded_up(table.epsilon)) +
           aligned_within(width, cells, 2, 0, 1) + fmt::format("{}\n", interval_in_words) +
           (rows.size() > 1 ? fmt::format("{}\n", picked_in_words) : "") +
           (rows.size() > rows_shown ? fmt::format("{} more, all smaller; --format csv has all\n",
                                                   grouped(rows.size() - rows_shown))
                                     : "") +
           note;
}

std::string joint_json(const joint_table &table) {
    std::vector<std::string> objects;
    for (const joint_row &r : rows_of(table)) {
        objects.push_back(fmt::format(
            "\n  {{\"epoch\": {}, \"first\": {}, \"second\": {}, \"estimate\": {}, "
            "\"std_error\": {}, \"ci_low\": {}, \"ci_high\": {}, \"reports\": {}, "
            "\"converged\": {}, \"first_metric\": {}, \"second_metric\": {}, \"epsilon\": {}, "
            "\"first_kind\": {}, \"second_kind\": {}}}",
            table.epoch, value_json(table.first.of(), r.first),
            value_json(table.second.of(), r.second), r.result.value, r.result.std_error,
            r.result.ci_low(), r.result.ci_high(), r.result.reports, table.fit.converged(),
            json_text(table.first.of().name), json_text(table.second.of().name), table.epsilon,
            kind_json(r.first), kind_json(r.second)));
    }
    return fmt::format("[{}{}]\n", fmt::join(objects, ","), objects.empty() ? "" : "\n");
}

std::string joint_csv(const joint_table &table) {
    std::string out = "epoch,first,second,estimate,std_error,ci_low,ci_high,reports,converged,"
                      "first_metric,second_metric,epsilon,first_kind,second_kind\n";
    for (const joint_row &r : rows_of(table)) {
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", table.epoch,
                           value_csv(r.first), value_csv(r.second), r.result.value,
                           r.result.std_error, r.result.ci_low(), r.result.ci_high(),
                           r.result.reports, table.fit.converged(),
                           csv_field(table.first.of().name), csv_field(table.second.of().name),
                           table.epsilon, kind_text(r.first), kind_text(r.second));
    }
    return out;
}

} // namespace sotto::aggregator
