// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/estimate_text.hpp"

#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/remark_list.hpp"
#include "aggregator/text/estimate_phrases.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sotto::aggregator {
namespace {

bool several_epochs(row_group all) {
    return std::any_of(all.begin(), all.end(),
                       [&](const estimate_row &r) { return r.epoch != all.front().epoch; });
}

// Booleans alone have nothing to tell apart.
bool has_values(row_group all) {
    return std::any_of(all.begin(), all.end(),
                       [](const estimate_row &r) { return r.value.index() > 1; });
}

struct columns {
    bool epoch, value, consistent, detected;
    bool counts = true, reports = true;
};

// Columns that a terminal need not show, the least first.
struct lesser_column {
    bool columns::*which;
    const char *name;
};
constexpr lesser_column lesser_columns[] = {{&columns::consistent, "consistent shares"},
                                            {&columns::counts, "counts"},
                                            {&columns::reports, "how many reports"}};

std::string consistent_text(const estimate_row &r) {
    return is_mean(*r.of) ? "" : "consistent " + consistent_share(r);
}

// A mean stands where counts do, or else where shares do.
std::vector<std::string> estimate_cells(const estimate_row &r, bool with_counts) {
    std::vector<std::string> cells = is_mean(*r.of) ? mean_cells(r) : share_cells(r);
    if (with_counts) {
        return cells;
    }
    return is_mean(*r.of) ? std::vector{cells[0] + " " + cells[2], cells[3]}
                          : std::vector{cells[0], cells[1]};
}

std::vector<std::string> table_cells(const estimate_row &r, const columns &with) {
    std::vector<std::string> cells = {r.of->name};
    if (with.epoch) {
        cells.push_back(epoch_text(r));
    }
    if (with.value) {
        cells.push_back(value_text(r.value));
    }
    for (std::string &cell : estimate_cells(r, with.counts)) {
        cells.push_back(std::move(cell));
    }
    if (with.reports) {
        cells.push_back("of " + counted(r.result.reports, "report"));
    }
    if (with.consistent) {
        cells.push_back(consistent_text(r));
    }
    if (with.detected) {
        cells.push_back(r.detected ? *r.detected ? "detected" : "not detected" : "");
    }
    cells.push_back(fmt::format("epsilon {}{}", r.mixed || r.stages > 1 ? "at most " : "",
                                rounded_up(r.stages > 1 ? r.joint_epsilon : r.epsilon)));
    return cells;
}

void note_want_of_reports(remark_list &said, row_group group) {
    const estimate_row &first = group.front();
    if (first.epoch) {
        said.read(*first.of, *first.epoch);
    }
    if (const auto want = want_of_reports(group)) {
        said.add(*first.of, first.epoch, *want);
    }
}

void add_notes(remark_list &said, row_group group) {
    const estimate_row &first = group.front();
    const auto say = [&](const std::string &text) {
        if (!text.empty()) {
            said.add(*first.of, first.epoch, text);
        }
    };
    if (group.size() > rows_shown) {
        say(grouped(group.size() - rows_shown) + " more, all smaller; --format csv has all");
    }
    note_want_of_reports(said, group);
    if (const estimate_row &widest = widest_of(group); widest.relaxed) {
        say(if_relaxed(widest));
    }
    say(if_pooled(widest_of(group)));
    say(joint_loss(first));
    say(loss_in_all_epochs(first));
    if (first.coalition) {
        say(if_poisoned(group));
    }
}

// The largest rows only, where a metric and epoch have very many.
std::string table_lines(row_group all, const columns &with, std::size_t width = any_width) {
    std::vector<std::vector<std::string>> table;
    for_each_group(all, [&](row_group group) {
        for (const estimate_row *r : largest(group)) {
            table.push_back(table_cells(*r, with));
        }
    });
    const std::size_t names = 1 + (with.epoch ? 1 : 0) + (with.value ? 1 : 0);
    return with.value ? aligned_within(width, table, names, names - 1, names - 1)
                      : aligned(table, names);
}

struct cell {
    const char *column;
    std::string json, csv;
    bool is_left_out = false;
};

cell value_cell(const row_value &value) {
    if (const auto *longer = std::get_if<longer_strings>(&value)) {
        const std::string text = longer_than(longer->max_bytes);
        return {"value", json_text(text), csv_field(text)};
    }
    if (const auto *text = std::get_if<std::string>(&value)) {
        return {"value", json_text(*text), csv_field(*text)};
    }
    if (const auto *number = std::get_if<std::uint32_t>(&value)) {
        return {"value", std::to_string(*number), std::to_string(*number)};
    }
    return std::holds_alternative<bool>(value) ? cell{"value", "true", "true"}
                                               : cell{"value", "null", ""};
}

// A candidate may be called as they are.
cell value_kind_cell(const row_value &value) {
    const bool is_longer = std::holds_alternative<longer_strings>(value);
    return {"value_kind", "\"too_long\"", is_longer ? "too_long" : "", !is_longer};
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

// An object leaves it out; a line has it empty.
template <typename Value> cell cell_if_any(const char *column, const std::optional<Value> &value) {
    cell out = cell_or_none(column, value);
    out.is_left_out = !value;
    return out;
}

// For all epochs in one; null is more than 2048.
cell all_epochs_cell(const estimate_row &r) {
    const bool bounded = r.all_epochs && std::isfinite(r.all_epochs->epsilon);
    cell out = cell_or_none("epsilon_all_epochs",
                            bounded ? std::optional(r.all_epochs->epsilon) : std::nullopt);
    out.is_left_out = !r.all_epochs;
    return out;
}

std::vector<cell> cells_of(const estimate_row &r) {
    const auto pooled = [&](double estimated::*what) {
        return r.pooled ? std::optional((*r.pooled).*what) : std::nullopt;
    };
    return {name_cell("metric", r.of->name),
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
            number_cell("consistent", r.consistent),
            cell_if_any("pooled", pooled(&estimated::value)),
            cell_if_any("pooled_std_error", pooled(&estimated::std_error)),
            cell_if_any("coalition_shift",
                        r.coalition ? std::optional(r.coalition->shift) : std::nullopt),
            cell_if_any("detected", r.detected),
            all_epochs_cell(r),
            name_cell("quantity", is_mean(*r.of) ? "mean" : "count"),
            number_cell("epsilon_all_levels", loss_of_an_answer(r)),
            value_kind_cell(r.value)};
}

} // namespace

std::string estimate_table(const std::vector<estimate_row> &all, std::size_t width) {
    if (all.empty()) {
        return "no estimates\n";
    }
    columns with = {several_epochs(all), has_values(all), has_consistent(all), has_detected(all)};
    std::string text = table_lines(all, with);
    std::vector<std::string> left_out;
    for (const lesser_column &one : lesser_columns) {
        if (line_width(text) > width && with.*one.which) {
            with.*one.which = false;
            left_out.emplace_back(one.name);
            text = table_lines(all, with);
        }
    }
    if (with.value && line_width(text) > width) {
        left_out.emplace_back("whole names");
        text = table_lines(all, with, width);
    }
    remark_list said;
    for_each_group(all, [&](row_group group) { add_notes(said, group); });
    std::vector<std::string> notes = said.lines();
    if (!left_out.empty()) {
        notes.push_back("this terminal is too narrow for " + joined(left_out));
    }
    text += wrapped(interval_in_words, width) + "\n";
    if (const std::string picked = if_picked(all); !picked.empty()) {
        notes.insert(notes.begin(), picked);
    }
    for (const std::string &note : notes) {
        text += wrapped(note, width) + "\n";
    }
    return text;
}

std::vector<std::string> fleet_warnings(const std::vector<estimate_row> &all) {
    remark_list said;
    for_each_group(all, [&](row_group group) { note_want_of_reports(said, group); });
    return said.lines();
}

std::vector<std::string> fleet_warnings(const std::vector<unanswered> &all) {
    std::map<const metric *, unanswered> largest;
    remark_list said;
    for (const unanswered &one : all) {
        unanswered &most = largest[one.of];
        most = one.reports > most.reports ? one : most;
        if (one.epoch) {
            said.read(*one.of, *one.epoch);
        }
    }
    for (const auto &[of, most] : largest) {
        if (const auto want = want_of_reports(most)) {
            said.add(*of, most.epoch, *want);
        }
    }
    return said.lines();
}

std::string estimate_json(const std::vector<estimate_row> &all) {
    std::vector<std::string> objects;
    for (const estimate_row &r : all) {
        std::vector<std::string> members;
        for (const cell &c : cells_of(r)) {
            if (!c.is_left_out) {
                members.push_back(fmt::format("\"{}\": {}", c.column, c.json));
            }
        }
        objects.push_back(fmt::format("\n  {{{}}}", fmt::join(members, ", ")));
    }
    return fmt::format("[{}{}]\n", fmt::join(objects, ","), all.empty() ? "" : "\n");
}

std::string estimate_csv(const std::vector<estimate_row> &all) {
    std::string text = "metric,epoch,level,epsilon,mechanism,value,estimate,std_error,ci_low,"
                       "ci_high,reports,consistent,pooled,pooled_std_error,coalition_shift,"
                       "detected,epsilon_all_epochs,quantity,epsilon_all_levels,"
                       "value_kind\n";
    for (const estimate_row &r : all) {
        std::vector<std::string> fields;
        for (const cell &c : cells_of(r)) {
            fields.push_back(c.csv);
        }
        text += fmt::format("{}\n", fmt::join(fields, ","));
    }
    return text;
}

} // namespace sotto::aggregator
