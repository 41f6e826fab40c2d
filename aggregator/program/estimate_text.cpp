// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/estimate_text.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/program/columns.hpp"
#include "aggregator/program/estimate_phrases.hpp"
#include "aggregator/program/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sotto::aggregator {
namespace {

using rows = row_group;

bool several_epochs(rows all) {
    return std::any_of(all.begin(), all.end(),
                       [&](const estimate_row &r) { return r.epoch != all.front().epoch; });
}

// Booleans alone have nothing to tell apart.
bool has_values(rows all) {
    return std::any_of(all.begin(), all.end(),
                       [](const estimate_row &r) { return r.value.index() > 1; });
}

struct columns {
    bool epoch, value, consistent, detected;
};

std::string consistent_text(const estimate_row &r) {
    return is_mean(*r.of) ? "" : "consistent " + consistent_share(r);
}

std::vector<std::string> table_cells(const estimate_row &r, const columns &with) {
    std::vector<std::string> cells = {r.of->name};
    if (with.epoch) {
        cells.push_back(epoch_text(r));
    }
    if (with.value) {
        cells.push_back(value_text(r.value));
    }
    for (std::string &cell : is_mean(*r.of) ? mean_cells(r) : share_cells(r)) {
        cells.push_back(std::move(cell));
    }
    cells.push_back("of " + counted(r.result.reports, "report"));
    if (with.consistent) {
        cells.push_back(consistent_text(r));
    }
    if (with.detected) {
        cells.push_back(r.detected ? *r.detected ? "detected" : "not detected" : "");
    }
    cells.push_back(fmt::format("epsilon {}{}", r.mixed ? "at most " : "", rounded_up(r.epsilon)));
    return cells;
}

std::string notes_on(rows group) {
    std::string text;
    for (const std::string &warning : warnings_on(group)) {
        text += warning + "\n";
    }
    const std::string &name = group.front().of->name;
    if (const estimate_row &widest = widest_of(group); widest.next_std_error) {
        text += name + ": " + if_relaxed(widest) + "\n";
    }
    if (const std::string joint = joint_loss(group.front()); !joint.empty()) {
        text += name + ": " + joint + "\n";
    }
    if (const std::string loss = loss_in_all_epochs(group.front()); !loss.empty()) {
        text += name + ": " + loss + "\n";
    }
    if (group.front().coalition_shift) {
        text += name + ": " + if_poisoned(group) + "\n";
    }
    return text;
}

// Adds the rows of one metric and epoch, of very many only the largest.
std::string add_group(std::vector<std::vector<std::string>> &table, rows group,
                      const columns &with) {
    for (const estimate_row *r : largest(group)) {
        table.push_back(table_cells(*r, with));
    }
    const std::size_t hidden = group.size() - std::min(group.size(), rows_shown);
    return (hidden == 0 ? ""
                        : fmt::format("{}: {} more, all smaller; --format csv has all\n",
                                      group.front().of->name, grouped(hidden))) +
           notes_on(group);
}

struct cell {
    const char *column;
    std::string json, csv;
};

cell value_cell(const row_value &value) {
    if (const auto *text = std::get_if<std::string>(&value)) {
        return {"value", json_text(*text), csv_field(*text)};
    }
    if (const auto *number = std::get_if<std::uint32_t>(&value)) {
        return {"value", std::to_string(*number), std::to_string(*number)};
    }
    return std::holds_alternative<bool>(value) ? cell{"value", "true", "true"}
                                               : cell{"value", "null", ""};
}

cell name_cell(const char *column, const std::string &text) {
    return {column, json_text(text), csv_field(text)};
}

template <typename Number> cell number_cell(const char *column, Number value) {
    const std::string text = fmt::format("{}", value);
    return {column, text, text};
}

template <typename Value> cell cell_or_none(const char *column, const std::optional<Value> &value) {
    return value ? number_cell(column, *value) : cell{column, "null", ""};
}

// What rows have only when it was asked for, or when a metric has it; a file has it for all or
// none.
struct more_columns {
    bool pooled, coalition, detected, all_epochs;
};

more_columns more_of(rows all) {
    const auto any = [&](auto has) { return std::any_of(all.begin(), all.end(), has); };
    return {any([](const estimate_row &r) { return r.pooled.has_value(); }),
            any([](const estimate_row &r) { return r.coalition_shift.has_value(); }),
            has_detected(all), any([](const estimate_row &r) { return r.all_epochs.has_value(); })};
}

std::vector<cell> cells_of(const estimate_row &r, const more_columns &with) {
    std::vector<cell> cells = {name_cell("metric", r.of->name),
                               cell_or_none("epoch", r.epoch),
                               cell_or_none("level", r.level),
                               number_cell("epsilon", r.epsilon),
                               name_cell("mechanism", r.of->mechanism_name),
                               value_cell(r.value),
                               number_cell("estimate", r.result.value),
                               number_cell("std_error", r.result.std_error),
                               number_cell("ci_low", r.result.ci_low()),
                               number_cell("ci_high", r.result.ci_high()),
                               number_cell("reports", r.result.reports),
                               number_cell("consistent", r.consistent)};
    if (with.pooled) {
        const auto of = [&](double estimated::*what) {
            return r.pooled ? std::optional((*r.pooled).*what) : std::nullopt;
        };
        cells.push_back(cell_or_none("pooled", of(&estimated::value)));
        cells.push_back(cell_or_none("pooled_std_error", of(&estimated::std_error)));
    }
    if (with.coalition) {
        cells.push_back(cell_or_none("coalition_shift", r.coalition_shift));
    }
    if (with.detected) {
        cells.push_back(cell_or_none("detected", r.detected));
    }
    if (with.all_epochs) {
        const bool bounded = r.all_epochs && std::isfinite(r.all_epochs->epsilon);
        cells.push_back(cell_or_none(
            "epsilon_all_epochs", bounded ? std::optional(r.all_epochs->epsilon) : std::nullopt));
    }
    return cells;
}

} // namespace

std::string estimate_table(const std::vector<estimate_row> &all) {
    if (all.empty()) {
        return "no estimates\n";
    }
    std::vector<std::vector<std::string>> table;
    std::string notes;
    const columns with = {several_epochs(all), has_values(all), has_consistent(all),
                          has_detected(all)};
    for_each_group(all, [&](rows group) { notes += add_group(table, group, with); });
    const std::size_t texts = 1 + (with.epoch ? 1 : 0) + (with.value ? 1 : 0);
    return aligned(table, texts) +
           "± is a 95 % interval for the noise that protects each report\n" + notes;
}

std::vector<std::string> fleet_warnings(const std::vector<estimate_row> &all) {
    std::vector<std::string> out;
    for_each_group(all, [&](rows group) {
        for (std::string &warning : warnings_on(group)) {
            out.push_back(std::move(warning));
        }
    });
    return out;
}

std::vector<std::string> fleet_warnings(const std::vector<unanswered> &all) {
    std::map<const metric *, unanswered> largest;
    for (const unanswered &one : all) {
        unanswered &most = largest[one.of];
        most = one.reports > most.reports ? one : most;
    }
    std::vector<std::string> out;
    for (const auto &[of, most] : largest) {
        for (std::string &warning : warnings_on(most)) {
            out.push_back(std::move(warning));
        }
    }
    return out;
}

std::string estimate_json(const std::vector<estimate_row> &all) {
    std::vector<std::string> objects;
    for (const estimate_row &r : all) {
        std::vector<std::string> members;
        for (const cell &c : cells_of(r, more_of(rows(&r, 1)))) {
            members.push_back(fmt::format("\"{}\": {}", c.column, c.json));
        }
        objects.push_back(fmt::format("\n  {{{}}}", fmt::join(members, ", ")));
    }
    return fmt::format("[{}{}]\n", fmt::join(objects, ","), all.empty() ? "" : "\n");
}

std::string estimate_csv(const std::vector<estimate_row> &all) {
    const more_columns with = more_of(all);
    const auto line = [&](const estimate_row &r, auto what) {
        std::vector<std::string> fields;
        for (const cell &c : cells_of(r, with)) {
            fields.emplace_back(what(c));
        }
        return fmt::format("{}\n", fmt::join(fields, ","));
    };
    if (all.empty()) {
        return "metric,epoch,level,epsilon,mechanism,value,estimate,std_error,ci_low,ci_high,"
               "reports,consistent\n";
    }
    std::string text = line(all.front(), [](const cell &c) { return std::string(c.column); });
    for (const estimate_row &r : all) {
        text += line(r, [](const cell &c) { return c.csv; });
    }
    return text;
}

} // namespace sotto::aggregator
