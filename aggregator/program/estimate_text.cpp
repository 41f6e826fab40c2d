// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/estimate_text.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/program/columns.hpp"
#include "aggregator/program/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace sotto::aggregator {
namespace {

// An interval wider than this says little, and how many reports would say something is worth a
// word.
constexpr double wide_share = 0.10;
constexpr double good_share = 0.05;
// Of one metric and epoch, in the table.
constexpr std::size_t rows_shown = 40;

using rows = std::span<const estimate_row>;

// What an estimate is a share of: the reports, or for a mean its range.
double whole_of(const estimate_row &r) {
    if (!is_mean(*r.of)) {
        return static_cast<double>(r.result.reports);
    }
    if (const auto *table = std::get_if<discrete_laplace_table>(&r.of->table)) {
        return static_cast<double>(table->max) - table->min;
    }
    const auto &table = std::get<one_bit_mean_table>(r.of->table);
    return static_cast<double>(table.max) - table.min;
}

double half_share(const estimate_row &r) { return r.result.half_width() / whole_of(r); }

bool several_epochs(rows all) {
    return std::any_of(all.begin(), all.end(),
                       [&](const estimate_row &r) { return r.epoch != all.front().epoch; });
}

// Booleans alone have nothing to tell apart.
bool has_values(rows all) {
    return std::any_of(all.begin(), all.end(),
                       [](const estimate_row &r) { return r.value.index() > 1; });
}

// The counts of a known set are shown as something that can be, too.
bool has_consistent(rows all) {
    return std::any_of(all.begin(), all.end(), [](const estimate_row &r) {
        return r.value.index() > 1 && !is_mean(*r.of);
    });
}

bool has_detected(rows all) {
    return std::any_of(all.begin(), all.end(),
                       [](const estimate_row &r) { return r.detected.has_value(); });
}

// One line, whatever is in a string.
std::string value_text(const row_value &value) {
    if (const auto *number = std::get_if<std::uint32_t>(&value)) {
        return std::to_string(*number);
    }
    const auto *text = std::get_if<std::string>(&value);
    if (text == nullptr) {
        return "";
    }
    const std::string quoted = in_quotes(*text);
    return quoted.substr(1, quoted.size() - 2);
}

std::vector<std::string> share_cells(const estimate_row &r) {
    const double half = 100 * half_share(r);
    const int digits = half >= 0.1 ? 1 : half >= 0.01 ? 2 : 3;
    return {fmt::format("{:.{}f} %", 100 * r.result.value / whole_of(r), digits),
            fmt::format("± {:.{}f} %", half, digits), rounded(r.result.value),
            "± " + rounded(std::ceil(r.result.half_width()))};
}

// As many decimals as the interval has a meaning for.
std::vector<std::string> mean_cells(const estimate_row &r) {
    const double half = r.result.half_width();
    const int digits =
        half > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, 9) : 0;
    return {"mean", "", fmt::format("{:.{}f}", r.result.value, digits),
            fmt::format("± {:.{}f}", half, digits)};
}

struct columns {
    bool epoch, value, consistent, detected;
};

std::string consistent_text(const estimate_row &r) {
    return is_mean(*r.of) ? ""
                          : fmt::format("consistent {:.1f} %", 100 * r.consistent / whole_of(r));
}

std::vector<std::string> table_cells(const estimate_row &r, const columns &with) {
    std::vector<std::string> cells = {r.of->name};
    if (with.epoch) {
        cells.push_back(r.epoch ? fmt::format("epoch {}", *r.epoch) : "all epochs");
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

const estimate_row &widest_of(rows group) {
    return *std::max_element(group.begin(), group.end(), [](const auto &a, const auto &b) {
        return a.result.std_error < b.result.std_error;
    });
}

// The share from which on a string is found with 90 % probability.
double found_from(const estimate_row &widest, std::size_t candidates) {
    const double z = normal_upper_point(0.05 / static_cast<double>(candidates));
    return (z + normal_upper_point(0.1)) * widest.result.std_error / whole_of(widest);
}

std::vector<std::string> warnings_on(rows group) {
    const estimate_row &widest = widest_of(group);
    const bool strings = widest.detected.has_value();
    const double share = strings ? found_from(widest, group.size()) : half_share(widest);
    if (!(share > wide_share)) {
        return {};
    }
    const std::string enough = rounded(two_digits_up(static_cast<double>(widest.result.reports) *
                                                     std::pow(share / good_share, 2)));
    const std::string few = fmt::format("{}: too few reports for epsilon {} to say much; ",
                                        widest.of->name, rounded_up(widest.epsilon));
    return {few + (strings ? fmt::format("a string is found from {:.0f} % on, from 5 % on with "
                                         "about {}",
                                         std::ceil(100 * share), enough)
                           : "± 5 % takes about " + enough)};
}

std::string relaxed(const estimate_row &r) {
    const double half = normal_95 * *r.next_std_error;
    return fmt::format("{}: relaxed by a level, to epsilon {}, these reports would say ± {}\n",
                       r.of->name, rounded_up(r.next_epsilon),
                       is_mean(*r.of) ? fmt::format("{:.2g}", half)
                                      : fmt::format("{:.2g} %", 100 * half / whole_of(r)));
}

// The estimate that a coalition can have moved furthest.
std::string poisoned(rows group) {
    const auto furthest =
        std::max_element(group.begin(), group.end(), [](const auto &a, const auto &b) {
            return a.coalition_shift.value_or(0) < b.coalition_shift.value_or(0);
        });
    const double shift = *furthest->coalition_shift;
    return fmt::format(
        "{}: a coalition of that size can have moved an estimate by up to {}\n", furthest->of->name,
        is_mean(*furthest->of) ? fmt::format("{:.2g}", shift)
                               : fmt::format("{:.2g} %", 100 * shift / whole_of(*furthest)));
}

std::string notes_on(rows group) {
    std::string text;
    for (const std::string &warning : warnings_on(group)) {
        text += warning + "\n";
    }
    if (const estimate_row &widest = widest_of(group); widest.next_std_error) {
        text += relaxed(widest);
    }
    if (group.front().coalition_shift) {
        text += poisoned(group);
    }
    return text;
}

// Calls for the rows of one metric and epoch after the other.
template <typename Visit> void for_each_group(const std::vector<estimate_row> &all, Visit visit) {
    for (auto first = all.begin(); first != all.end();) {
        const auto last = std::find_if(first, all.end(), [&](const estimate_row &r) {
            return r.of != first->of || r.epoch != first->epoch;
        });
        visit(rows(first, last));
        first = last;
    }
}

// Adds the rows of one metric and epoch, of very many only the largest.
std::string add_group(std::vector<std::vector<std::string>> &table, rows group,
                      const columns &with) {
    std::vector<const estimate_row *> shown;
    for (const estimate_row &r : group) {
        shown.push_back(&r);
    }
    std::string note;
    if (shown.size() > rows_shown) {
        std::stable_sort(shown.begin(), shown.end(), [](const auto *a, const auto *b) {
            return a->result.value > b->result.value;
        });
        note = fmt::format("{}: {} more, all smaller; --format csv has all\n",
                           group.front().of->name, grouped(shown.size() - rows_shown));
        shown.resize(rows_shown);
    }
    for (const estimate_row *r : shown) {
        table.push_back(table_cells(*r, with));
    }
    return note + notes_on(group);
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
    bool pooled, coalition, detected;
};

more_columns more_of(rows all) {
    const auto any = [&](auto has) { return std::any_of(all.begin(), all.end(), has); };
    return {any([](const estimate_row &r) { return r.pooled.has_value(); }),
            any([](const estimate_row &r) { return r.coalition_shift.has_value(); }),
            has_detected(all)};
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
