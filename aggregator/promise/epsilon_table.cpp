// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/columns.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_accuracy.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "aggregator/promise/epsilon_promise.hpp"
#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/promise/epsilon_text.hpp"
#include "aggregator/promise/epsilon_theft.hpp"
#include "aggregator/promise/event_words.hpp"
#include "aggregator/promise/spending_words.hpp"
#include "aggregator/registry/tables.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::vector<std::string> level_cells(const metric &m, std::size_t level,
                                     const std::string &nominal) {
    std::vector<std::string> cells = {fmt::format("  {}", level), nominal, m.realised(level).text};
    level_law law = m.law(level);
    for (const law_number &number : probabilities_of(law)) {
        cells.push_back(fmt::format("{:.16f}", *number.value));
    }
    cells.push_back(std::to_string(m.cost(level, 1)));
    for (const std::uint64_t reports : fleets) {
        const double error = expected_error(m, level, reports);
        cells.push_back(is_mean(m) ? fmt::format("{:.3g}", error)
                                   : fmt::format("{:.3g} %", 100 * error));
    }
    return cells;
}

// A line a level, for a terminal that the table does not fit on.
std::string as_lines(const std::vector<std::vector<std::string>> &table) {
    std::string text;
    for (std::size_t row = 1; row < table.size(); ++row) {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < table[row].size(); ++i) {
            parts.push_back(table.front()[i] +
                            (i == 0 ? table[row][i].substr(1) : " " + table[row][i]));
        }
        text += fmt::format("{}\n", fmt::join(parts, "; "));
    }
    return text;
}

const char *epsilon_head(const metric &m) {
    switch (protects(m)) {
    case protected_unit::event:
        return "epsilon of an event";
    case protected_unit::source:
        return "epsilon of a source";
    case protected_unit::value:
        break;
    }
    return "epsilon";
}

std::string levels_table(const metric &m, std::size_t width) {
    std::vector<std::vector<std::string>> table;
    std::vector<std::string> head = {"  level", epsilon_head(m), "realised, rounded up"};
    level_law law = m.law(0);
    for (const law_number &number : probabilities_of(law)) {
        head.emplace_back(number.name);
    }
    head.insert(head.end(), {"cost", "± 1 k", "± 100 k", "± 10 M"});
    table.push_back(head);
    for (std::size_t i = 0; i < m.levels.size(); ++i) {
        const ladder_level &l = m.levels[i];
        table.push_back(level_cells(m, i, l.nominal ? l.nominal->text : "-"));
    }
    for (std::size_t i = 0; i < m.forward.size(); ++i) {
        const std::optional<decimal> &nominal = m.forward[i].nominal;
        table.push_back(level_cells(m, m.levels.size() + i, nominal ? nominal->text : "-"));
    }
    const std::string columns = aligned(table);
    return (line_width(columns) <= width ? columns : as_lines(table)) +
           "  cost is what the levels up to this one are charged together, in 2^-20 epsilon.\n" +
           fmt::format("  ± is the standard error of the {} from so many reports.\n", estimand(m));
}

// The loss of several levels published: one line where they all lose as much as the highest.
std::string joint_text(const metric &m) {
    std::string text = fmt::format("  Together: {}\n", m.joint.text);
    const bool lossless = std::all_of(m.pairs.begin(), m.pairs.end(), [&](const level_pair &p) {
        return p.joint.text == m.levels[p.high].realised.text;
    });
    if (m.levels.size() > 1 && lossless) {
        text += "  Any levels together lose what the highest of them loses.\n";
    }
    for (const level_pair &p : m.pairs) {
        if (!lossless) {
            text += fmt::format("    levels {} and {}: {}\n", p.low, p.high, p.joint.text);
        }
        for (const level_pair::reports &r : p.of_counts) {
            text +=
                fmt::format("    of releases of one value, {} at level {} and {} at level {}: {}\n",
                            r.low, p.low, r.high, p.high, r.joint.text);
        }
    }
    return text;
}

// At least the number, to four digits.
std::string four_digits_up(double number) {
    const double unit = std::pow(10, std::floor(std::log10(number)) - 3);
    return fmt::format("{:.4g}", std::ceil(number / unit * (1 - 1e-12)) * unit);
}

// Metric privacy: the loss of two numbers by their distance (Koufogiannis, Han, Pappas 2015,
// Proposition 6). A vector that is clipped first may come nearer or not. The law's own error, the
// excess of its realised loss over the sum of units, is in each unit.
std::string distance_text(const metric &m) {
    if (m.l1_sensitivity == 0 || m.range()->l1_half) {
        return "";
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < m.level_count(); ++i) {
        const double unit = *mechanism_of(m).unit_epsilon(m, m.law(i));
        const double whole = unit * static_cast<double>(m.l1_sensitivity);
        const double excess = std::max(0.0, m.realised(i).value - whole);
        parts.push_back(fmt::format("{} at level {}", four_digits_up(unit + excess), i));
    }
    return fmt::format("  Near {} are hidden better: two at a distance of d lose d times {}.\n",
                       m.type == SOTTO_TYPE_VECTOR ? "vectors, in L1," : "numbers", joined(parts));
}

std::string lines_within(const std::string &text, std::size_t width) {
    std::vector<std::string> lines = split(text, '\n');
    for (std::string &line : lines) {
        line = wrapped(line, width);
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

} // namespace

std::string epsilon_table(const registry &known, std::size_t width) {
    std::string text = fmt::format("{} version {}, registry {}\n", known.name, known.version,
                                   fingerprint_text(known.fingerprint));
    const std::size_t sentence = std::min<std::size_t>(width, 100);
    text += lines_within(spending_text(known), sentence);
    const tables made(known);
    for (std::size_t i = 0; i < known.metrics.size(); ++i) {
        const metric &m = known.metrics[i];
        text += fmt::format("\n{} (metric {}, {}, {}, {})\n", m.name, m.id, m.type_name,
                            m.mechanism_name, fingerprint_text(m.fingerprint));
        text += lines_within(
            promise(m) + distance_text(m) + spending_text(m, known) + theft_text(m), sentence);
        text += levels_table(m, width) +
                (protects(m) == protected_unit::event ? ages_text(m) : joint_text(m)) +
                "  Thresholds in the device's flash, " + mechanism_of(m).table_text(m);
        text += fmt::format(
            "  A draw of 32 bits or one number takes at most {} random bytes, a "
            "release at every level {}.\n  A report takes at most {} bytes in a batch that "
            "is padded to a multiple of 64.\n",
            m.random_bytes, release_random_bytes(m, made.get().metrics[i]), report_bytes(m));
    }
    text += "\nCertified from these thresholds by sotto-registry, in exact arithmetic; "
            "`sotto-registry check` does it again.\n";
    return lines_within(text, width);
}

} // namespace sotto::aggregator
