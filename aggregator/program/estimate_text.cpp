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
    bool epoch, value, detected;
};

std::vector<std::string> table_cells(const estimate_row &r, const columns &with) {
    std::vector<std::string> cells = {r.of->name};
    if (with.epoch) {
        cells.push_back(fmt::format("epoch {}", r.epoch));
    }
    if (with.value) {
        cells.push_back(value_text(r.value));
    }
    for (std::string &cell : is_mean(*r.of) ? mean_cells(r) : share_cells(r)) {
        cells.push_back(std::move(cell));
    }
    cells.push_back("of " + counted(r.result.reports, "report"));
    if (with.detected) {
        cells.push_back(r.detected ? *r.detected ? "detected" : "not detected" : "");
    }
    cells.push_back(fmt::format("epsilon {}{}", r.mixed ? "at most " : "", rounded_up(r.epsilon)));
    return cells;
}

// Of the rows of one metric and epoch, the widest.
std::string too_few(const estimate_row &r) {
    const double enough =
        static_cast<double>(r.result.reports) * std::pow(half_share(r) / good_share, 2);
    return fmt::format("{}: too few reports for epsilon {} to say much; ± 5 % takes about {}\n",
                       r.of->name, rounded_up(r.epsilon), rounded(two_digits_up(enough)));
}

std::string relaxed(const estimate_row &r) {
    const double half = normal_95 * *r.next_std_error;
    return fmt::format("{}: relaxed by a level, to epsilon {}, these reports would say ± {}\n",
                       r.of->name, rounded_up(r.next_epsilon),
                       is_mean(*r.of) ? fmt::format("{:.2g}", half)
                                      : fmt::format("{:.2g} %", 100 * half / whole_of(r)));
}

std::string notes_on(rows group) {
    const auto widest =
        std::max_element(group.begin(), group.end(), [](const auto &a, const auto &b) {
            return a.result.std_error < b.result.std_error;
        });
    std::string text;
    if (half_share(*widest) > wide_share) {
        text += too_few(*widest);
    }
    if (widest->next_std_error) {
        text += relaxed(*widest);
    }
    return text;
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

std::vector<cell> cells_of(const estimate_row &r) {
    const auto name = [](const char *column, const std::string &text) {
        return cell{column, json_text(text), csv_field(text)};
    };
    const auto number = [](const char *column, auto value) {
        const std::string text = fmt::format("{}", value);
        return cell{column, text, text};
    };
    std::vector<cell> cells = {name("metric", r.of->name),
                               number("epoch", r.epoch),
                               r.level ? number("level", *r.level) : cell{"level", "null", ""},
                               number("epsilon", r.epsilon),
                               name("mechanism", r.of->mechanism_name),
                               value_cell(r.value),
                               number("estimate", r.result.value),
                               number("std_error", r.result.std_error),
                               number("ci_low", r.result.ci_low()),
                               number("ci_high", r.result.ci_high()),
                               number("reports", r.result.reports)};
    if (r.detected) {
        cells.push_back(number("detected", *r.detected));
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
    const columns with = {several_epochs(all), has_values(all), has_detected(all)};
    for (auto first = all.begin(); first != all.end();) {
        const auto last = std::find_if(first, all.end(), [&](const estimate_row &r) {
            return r.of != first->of || r.epoch != first->epoch;
        });
        notes += add_group(table, rows(first, last), with);
        first = last;
    }
    const std::size_t texts = 1 + (with.epoch ? 1 : 0) + (with.value ? 1 : 0);
    return aligned(table, texts) +
           "± is a 95 % interval for the noise that protects each report\n" + notes;
}

std::string estimate_json(const std::vector<estimate_row> &all) {
    std::vector<std::string> objects;
    for (const estimate_row &r : all) {
        std::vector<std::string> members;
        for (const cell &c : cells_of(r)) {
            members.push_back(fmt::format("\"{}\": {}", c.column, c.json));
        }
        objects.push_back(fmt::format("\n  {{{}}}", fmt::join(members, ", ")));
    }
    return fmt::format("[{}{}]\n", fmt::join(objects, ","), all.empty() ? "" : "\n");
}

std::string estimate_csv(const std::vector<estimate_row> &all) {
    const bool detected = has_detected(all);
    std::string text = "metric,epoch,level,epsilon,mechanism,value,estimate,std_error,ci_low,"
                       "ci_high,reports";
    text += detected ? ",detected\n" : "\n";
    for (const estimate_row &r : all) {
        std::vector<std::string> fields;
        for (const cell &c : cells_of(r)) {
            fields.push_back(c.csv);
        }
        text += fmt::format("{}{}\n", fmt::join(fields, ","), detected && !r.detected ? "," : "");
    }
    return text;
}

} // namespace sotto::aggregator
