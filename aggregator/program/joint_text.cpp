// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/joint_text.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/program/columns.hpp"
#include "aggregator/program/estimate_phrases.hpp"
#include "aggregator/program/numbers.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

struct joint_row {
    std::optional<std::string> first, second; // nothing: any other string
    estimated result;
};

std::vector<joint_row> rows_of(const joint_table &table) {
    const auto value = [](const report_likelihood &of, std::size_t i) {
        return of.last_is_other() && i + 1 == of.values().size() ? std::nullopt
                                                                 : std::optional(of.values()[i]);
    };
    std::vector<joint_row> out;
    const std::size_t seconds = table.second.values().size();
    for (std::size_t c = 0; c < table.fit.cells.size(); ++c) {
        if (table.fit.cells[c]) {
            out.push_back({value(table.first, c / seconds), value(table.second, c % seconds),
                           *table.fit.cells[c]});
        }
    }
    return out;
}

// A boolean's and a numbered category's texts are JSON as they are.
std::string value_json(const metric &of, const std::optional<std::string> &value) {
    const bool is_name = of.type == SOTTO_TYPE_STRING || !of.names.empty();
    return !value ? "null" : is_name ? json_text(*value) : *value;
}

std::string left_out(const joint_table &table, std::size_t rows) {
    return rows == table.fit.cells.size()
               ? ""
               : fmt::format("{} left out, as the reports don't tell them from others\n",
                             counted(table.fit.cells.size() - rows, "cell"));
}

} // namespace

std::string joint_text(const joint_table &table, std::size_t width) {
    std::vector<joint_row> rows = rows_of(table);
    const std::string note = left_out(table, rows.size());
    std::stable_sort(rows.begin(), rows.end(), [](const joint_row &a, const joint_row &b) {
        return a.result.value > b.result.value;
    });
    const auto name = [](const std::optional<std::string> &value) {
        return string_text(value.value_or("(any other)"));
    };
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < std::min(rows_shown, rows.size()); ++i) {
        const estimated &r = rows[i].result;
        const auto n = static_cast<double>(r.reports);
        cells.push_back({name(rows[i].first), name(rows[i].second),
                         fmt::format("{:.1f} %", 100 * r.value / n),
                         fmt::format("± {:.1f} %", 100 * r.half_width() / n), rounded(r.value),
                         "of " + counted(r.reports, "pair")});
    }
    return fmt::format("{} and {}, epoch {}, together epsilon at most {}\n", table.first.of().name,
                       table.second.of().name, table.epoch, rounded_up(table.epsilon)) +
           aligned_within(width, cells, 2, 0, 1) +
           "± is a 95 % interval for the noise that protects each report\n" +
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
            "\"converged\": {}, \"first_metric\": {}, \"second_metric\": {}, \"epsilon\": {}}}",
            table.epoch, value_json(table.first.of(), r.first),
            value_json(table.second.of(), r.second), r.result.value, r.result.std_error,
            r.result.ci_low(), r.result.ci_high(), r.result.reports, table.fit.converged(),
            json_text(table.first.of().name), json_text(table.second.of().name), table.epsilon));
    }
    return fmt::format("[{}{}]\n", fmt::join(objects, ","), objects.empty() ? "" : "\n");
}

std::string joint_csv(const joint_table &table) {
    std::string out = "epoch,first,second,estimate,std_error,ci_low,ci_high,reports,converged,"
                      "first_metric,second_metric,epsilon\n";
    for (const joint_row &r : rows_of(table)) {
        out += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{}\n", table.epoch, csv_field(r.first.value_or("")),
            csv_field(r.second.value_or("")), r.result.value, r.result.std_error, r.result.ci_low(),
            r.result.ci_high(), r.result.reports, table.fit.converged(),
            csv_field(table.first.of().name), csv_field(table.second.of().name), table.epsilon);
    }
    return out;
}

} // namespace sotto::aggregator
