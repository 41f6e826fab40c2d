// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/program/columns.hpp"
#include "aggregator/program/epsilon_accuracy.hpp"
#include "aggregator/program/epsilon_promise.hpp"
#include "aggregator/program/epsilon_spending.hpp"
#include "aggregator/program/epsilon_text.hpp"
#include "aggregator/program/epsilon_theft.hpp"
#include "aggregator/registry/tables.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::vector<std::string> level_cells(const metric &m, std::size_t level,
                                     const std::string &nominal) {
    std::vector<std::string> cells = {fmt::format("  {}", level), nominal, m.realised(level).text};
    for (const auto &[name, member] : mechanism_of(m).rules(m).probabilities) {
        cells.push_back(fmt::format("{:.16f}", m.law(level).*member));
    }
    cells.push_back(std::to_string(m.cost(level, 1)));
    for (const std::uint64_t reports : fleets) {
        const double error = expected_error(m, level, reports);
        cells.push_back(is_mean(m) ? fmt::format("{:.3g}", error)
                                   : fmt::format("{:.3g} %", 100 * error));
    }
    return cells;
}

std::string levels_table(const metric &m) {
    std::vector<std::vector<std::string>> table;
    std::vector<std::string> head = {"  level", "epsilon", "realised, rounded up"};
    for (const named_probability &one : mechanism_of(m).rules(m).probabilities) {
        head.emplace_back(one.name);
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
    return aligned(table) +
           "  cost is what the levels up to this one are charged together, in 2^-20 epsilon.\n" +
           fmt::format("  ± is the standard error of the {} from so many reports.\n", estimand(m));
}

// Of several levels published: one line where they all lose what the highest does.
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

} // namespace

std::string epsilon_table(const registry &of) {
    std::string text = fmt::format("{} version {}, registry {}\n", of.name, of.version,
                                   fingerprint_text(of.fingerprint));
    text += spending_text(of);
    const tables made(of);
    for (std::size_t i = 0; i < of.metrics.size(); ++i) {
        const metric &m = of.metrics[i];
        text += fmt::format("\n{} (metric {}, {}, {}, {})\n", m.name, m.id, m.type_name,
                            m.mechanism_name, fingerprint_text(m.fingerprint));
        text += promise(m) + spending_text(m, of) + theft_text(m) + levels_table(m);
        text +=
            joint_text(m) + "  Thresholds in the device's flash, " + mechanism_of(m).table_text(m);
        text += fmt::format(
            "  A draw of 32 bits or one number takes at most {} random bytes, a "
            "release at every level {}.\n  A report takes at most {} bytes in a batch that "
            "is padded to a multiple of 64.\n",
            m.random_bytes, release_random_bytes(m, made.get().metrics[i]), report_bytes(m));
    }
    return text + "\nCertified from these thresholds by sotto-registry, in exact arithmetic; "
                  "`sotto-registry check` does it again.\n";
}

} // namespace sotto::aggregator
