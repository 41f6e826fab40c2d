// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/figure.hpp"

#include "aggregator/base/json_layout.hpp"
#include "aggregator/page/html.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string title_of(const estimate_row &r) { return html_text(r.subject->shown_name()); }

// `kind` is how to draw it, `from` its tables as attributes, `label` what is seen, as HTML.
std::string figure(const char *kind, const estimate_row &r, const std::string &from,
                   const std::string &label) {
    return fmt::format("<figure hidden data-kind=\"{}\" data-unit=\"{}\" {}>\n<div class=\"plot\">"
                       "<canvas role=\"img\" aria-label=\"{}; all numbers are in the table below\">"
                       "</canvas></div>\n</figure>\n",
                       kind, is_mean(r) ? "" : " %", from, label);
}

std::string table_attribute(const table_shape &table) {
    return fmt::format("data-table=\"{}\"", table.id);
}

// Shares start at 0; a mean is shown within the range that it may have.
std::string axis(const metric &m) {
    if (const auto range = m.range()) {
        return fmt::format(" data-min=\"{}\" data-max=\"{}\"", range->min, range->max);
    }
    return m.type == SOTTO_TYPE_BOOLEAN ? " data-min=\"0\" data-max=\"100\"" : " data-min=\"0\"";
}

// Epochs become dates where they have some.
std::string dates(const metric &m) {
    const auto &days = m.words.days;
    return days ? fmt::format(" data-start=\"{}\" data-days=\"{}\"", days->start, days->epoch_days)
                : "";
}

} // namespace

std::string bar_figure(const shown_rows &shown, const table_shape &table, std::size_t most) {
    const estimate_row &first = *shown.front();
    const auto longest = *std::max_element(shown.begin(), shown.end(), [](auto *a, auto *b) {
        return a->result.value < b->result.value;
    });
    const bool is_scale = shown.size() > 1 && std::ranges::all_of(shown, [](auto *r) {
                              return is_ordered({r, 1});
                          });
    std::string label =
        fmt::format("{} chart with error bars, {} bars: {}", is_scale ? "Column" : "Bar",
                    std::min(most, shown.size()), title_of(first));
    label += shown.size() > 1 ? fmt::format("; the longest is {}, {}",
                                            html_text(row_name(*longest)), estimate_text(*longest))
                              : ", " + estimate_text(first);
    const std::string rows =
        most < shown.size() && !is_scale ? fmt::format(" data-most=\"{}\"", most) : std::string();
    return figure(is_scale ? "columns" : "bars", first,
                  table_attribute(table) + rows + axis(*first.subject), label);
}

std::string time_figure(const shown_rows &shown, const table_shape &table) {
    const estimate_row &newest = *shown.front();
    return figure("time", newest, table_attribute(table) + dates(*newest.subject),
                  fmt::format("Line chart with a band, {} epochs: {}, {}; the newest is {}",
                              shown.size(), title_of(newest), html_text(row_name(newest)),
                              estimate_text(newest)));
}

std::string bin_figure(const shown_rows &bins, const table_shape &table) {
    return figure(
        "bins", *bins.front(), table_attribute(table),
        fmt::format("Line chart with a band, {} bins: {}", bins.size(), title_of(*bins.front())));
}

std::string trend_figure(const shown_rows &values, const std::vector<std::string> &tables) {
    json_value names = json_value::array();
    for (const estimate_row *r : values) {
        names.push_back(row_name(*r));
    }
    const estimate_row &first = *values.front();
    return figure("trend", first,
                  fmt::format("data-tables=\"{}\" data-names=\"{}\"{}", fmt::join(tables, " "),
                              html_text(json_text(names)), dates(*first.subject)),
                  fmt::format("Line chart with bands, {} values over {} epochs: {}", values.size(),
                              tables.size(), title_of(first)));
}

} // namespace sotto::aggregator
