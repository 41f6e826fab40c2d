// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/shuffled_table.hpp"

#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_spending.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

bool has_figure(const metric &m) {
    const mechanism &how = mechanism_of(m);
    return protects(m) == protected_unit::value && !has_strings(m) && !has_lifetime(m) &&
           how.rules(m).has_nominal; // otherwise noise is permanent
}

constexpr const char *no_figure = "there is no figure where reports share noise, devices have "
                                  "cohorts, or epsilon is that of events or points.";

constexpr const char *conditions =
    "It holds only behind an honest relay, which tells no reader who sent what. Each device sends "
    "one report of the metric, at the same level, alone in its envelope. No id, address, length or "
    "time links a report to a device or to another report. A release is published once: its levels "
    "share an id. Every device answers, whatever its value. Devices that are forged, or that the "
    "reader knows, count as none.";

constexpr const char *standing = "No charge is less for it, and no promise rests on it.";

} // namespace

double shuffled_delta_of(std::uint64_t devices) { return 1 / (10 * static_cast<double>(devices)); }

shuffled_metric shuffled_of(const metric &m, std::uint64_t devices) {
    shuffled_metric found{m.name, {}, {}};
    for (std::size_t i = 0; has_figure(m) && i < m.level_count(); ++i) {
        const double local = m.realised(i).value;
        found.of_report.push_back(local);
        found.of_mixed.push_back(shuffled_epsilon(local, devices, shuffled_delta_of(devices)));
    }
    return found;
}

shuffled_table shuffled_of(const registry &known, std::uint64_t devices) {
    shuffled_table table{devices, shuffled_delta_of(devices), {}};
    for (const metric &m : known.metrics) {
        table.metrics.push_back(shuffled_of(m, devices));
    }
    return table;
}

std::string shuffled_sentences(const metric &m, std::uint64_t devices) {
    const shuffled_metric found = shuffled_of(m, devices);
    if (found.of_mixed.empty()) {
        return std::string("No number: ") + no_figure;
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < found.of_mixed.size(); ++i) {
        parts.push_back(fmt::format("{} at level {}", rounded_up(found.of_mixed[i]), i));
    }
    return fmt::format("Mixed among reports of {} devices, epsilon of a report is {}, at delta "
                       "{:.2g}. {} {}",
                       grouped(devices), joined(parts), shuffled_delta_of(devices), standing,
                       conditions);
}

std::string shuffled_text(const registry &known, const shuffled_table &table, std::size_t width) {
    std::vector<std::vector<std::string>> rows = {{"metric", "level", "of a report", "mixed"}};
    for (const shuffled_metric &m : table.metrics) {
        for (std::size_t i = 0; i < m.of_mixed.size(); ++i) {
            rows.push_back(
                {m.name, std::to_string(i), rounded_up(m.of_report[i]), rounded_up(m.of_mixed[i])});
        }
        if (m.of_mixed.empty()) {
            rows.push_back({m.name, "-", "-", "-"});
        }
    }
    std::string text = fmt::format("{} version {}, registry {}\n\n{}\n", known.name, known.version,
                                   fingerprint_text(known.fingerprint), aligned(rows));
    const std::string sentences =
        fmt::format("Mixed: epsilon of a report among those of {} devices, at delta {:.2g}. It is "
                    "an upper bound, rounded up. {}\n{}\nNo number: {}",
                    grouped(table.devices), table.delta, standing, conditions, no_figure);
    for (const std::string &line : split(sentences, '\n')) {
        text += wrapped(line, std::min<std::size_t>(width, 100)) + "\n";
    }
    return text;
}

} // namespace sotto::aggregator
