// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/estimate_text.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/program/columns.hpp"
#include "aggregator/program/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// An interval wider than this says little, and how many reports would say something is worth a
// word.
constexpr double wide_share = 0.10;
constexpr double good_share = 0.05;

double share(double count, const estimate_row &r) {
    return count / static_cast<double>(r.result.reports);
}

bool several_epochs(const std::vector<estimate_row> &rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const estimate_row &r) { return r.epoch != rows.front().epoch; });
}

std::vector<std::string> table_cells(const estimate_row &r, bool with_epoch) {
    const double half = 100 * share(r.result.half_width(), r);
    const int digits = half >= 0.1 ? 1 : half >= 0.01 ? 2 : 3;
    std::vector<std::string> cells = {r.of->name};
    if (with_epoch) {
        cells.push_back(fmt::format("epoch {}", r.epoch));
    }
    cells.push_back(fmt::format("{:.{}f} %", 100 * share(r.result.value, r), digits));
    cells.push_back(fmt::format("± {:.{}f} %", half, digits));
    cells.push_back(rounded(r.result.value));
    cells.push_back("± " + rounded(std::ceil(r.result.half_width())));
    cells.push_back("of " + counted(r.result.reports, "report"));
    cells.push_back(fmt::format("epsilon {}{}", r.mixed ? "at most " : "", rounded_up(r.epsilon)));
    return cells;
}

std::string too_few(const estimate_row &r) {
    const double half = share(r.result.half_width(), r);
    const double enough = static_cast<double>(r.result.reports) * std::pow(half / good_share, 2);
    return fmt::format("{}: too few reports for epsilon {} to say much; ± 5 % takes about {}\n",
                       r.of->name, rounded_up(r.epsilon), rounded(two_digits_up(enough)));
}

struct cell {
    const char *column;
    std::string value; // as JSON has it
};

std::vector<cell> cells_of(const estimate_row &r) {
    const auto text = [](const std::string &name) { return '"' + name + '"'; };
    const auto number = [](auto value) { return fmt::format("{}", value); };
    return {{"metric", text(r.of->name)},
            {"epoch", number(r.epoch)},
            {"level", r.level ? number(*r.level) : "null"},
            {"epsilon", number(r.epsilon)},
            {"mechanism", text(r.of->mechanism_name)},
            {"value", "true"},
            {"estimate", number(r.result.value)},
            {"std_error", number(r.result.std_error)},
            {"ci_low", number(r.result.ci_low())},
            {"ci_high", number(r.result.ci_high())},
            {"reports", number(r.result.reports)}};
}

} // namespace

std::string estimate_table(const std::vector<estimate_row> &rows) {
    if (rows.empty()) {
        return "no reports\n";
    }
    std::vector<std::vector<std::string>> table;
    std::string notes;
    const bool with_epoch = several_epochs(rows);
    for (const estimate_row &r : rows) {
        table.push_back(table_cells(r, with_epoch));
        if (share(r.result.half_width(), r) > wide_share) {
            notes += too_few(r);
        }
    }
    return aligned(table) + "± is a 95 % interval for the noise that protects each report\n" +
           notes;
}

std::string estimate_json(const std::vector<estimate_row> &rows) {
    std::vector<std::string> objects;
    for (const estimate_row &r : rows) {
        std::vector<std::string> members;
        for (const cell &c : cells_of(r)) {
            members.push_back(fmt::format("\"{}\": {}", c.column, c.value));
        }
        objects.push_back(fmt::format("\n  {{{}}}", fmt::join(members, ", ")));
    }
    return fmt::format("[{}{}]\n", fmt::join(objects, ","), rows.empty() ? "" : "\n");
}

std::string estimate_csv(const std::vector<estimate_row> &rows) {
    const metric nobody;
    std::vector<std::string> header;
    for (const cell &c : cells_of(estimate_row{&nobody, 0, {}, 0, false, {}})) {
        header.push_back(c.column);
    }
    std::string text = fmt::format("{}\n", fmt::join(header, ","));
    for (const estimate_row &r : rows) {
        std::vector<std::string> fields;
        for (const cell &c : cells_of(r)) {
            // No field needs quotes: names are a-z, 0-9 and '_'.
            std::string field = c.value == "null" ? "" : c.value;
            std::erase(field, '"');
            fields.push_back(std::move(field));
        }
        text += fmt::format("{}\n", fmt::join(fields, ","));
    }
    return text;
}

} // namespace sotto::aggregator
