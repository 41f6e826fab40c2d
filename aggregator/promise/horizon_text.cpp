// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/promise/horizon.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string cell(const spending::units &cost) {
    return cost ? rounded_up(epsilon_of_units(*cost)) : "no bound";
}

std::vector<std::string> row(const std::string &name, const horizon_loss &loss,
                             std::size_t columns) {
    std::vector<std::string> cells = {name};
    for (std::size_t i = 0; i < columns; ++i) {
        cells.push_back(i < loss.values.size() ? cell(loss.values[i]) : "-");
    }
    cells.push_back(loss.event ? cell(*loss.event) : "-");
    return cells;
}

std::vector<std::string> head(const horizon_table &table) {
    std::vector<std::string> cells = {"measured in"};
    for (const std::uint32_t epochs : table.epochs) {
        cells.push_back(counted(epochs, "epoch"));
    }
    cells.emplace_back("one event");
    return cells;
}

constexpr const char *meaning =
    "Epsilon of all values that a device measures in so many epochs, whoever puts them together. "
    "Each is published at every level that its metric has, now or later. A budget bounds what is "
    "measured in its window; whole windows and the rest of one add up. Rounded up.\n"
    "One event: epsilon of an event of a counter, in whatever epoch. It says nothing of all events "
    "together: k events of a person lose k times as much. The two kinds are never added.\n";
constexpr const char *of_remembered =
    "Where noise is remembered the row is for releases of one value and all others together; it "
    "does not hide when a value changed.\n";

constexpr const char *of_sources =
    "Rows of points are of one source, whose points move by delta at most: they are never added to "
    "those of values.\n";

} // namespace

std::string horizon_text(const registry &known, const horizon_table &table, std::size_t width) {
    std::vector<std::vector<std::string>> rows = {head(table)};
    for (const horizon_loss &loss : table.metrics) {
        rows.push_back(row(loss.name, loss, table.epochs.size()));
    }
    rows.push_back(row("the whole device", table.device, table.epochs.size()));
    if (table.sources) {
        rows.push_back(row("the whole gateway, a source", *table.sources, table.epochs.size()));
    }
    const std::string sentences = std::string(meaning) +
                                  (remembers_noise(known) ? of_remembered : "") +
                                  (table.sources ? of_sources : "");
    std::string text = fmt::format("{} version {}, registry {}\n\n{}\n", known.name, known.version,
                                   fingerprint_text(known.fingerprint), aligned(rows));
    for (const std::string &line : split(sentences, '\n')) {
        text += line.empty() ? "" : wrapped(line, std::min<std::size_t>(width, 100)) + "\n";
    }
    return text +
           "Certified by sotto-registry, in exact arithmetic; `sotto-registry check` does it "
           "again.\n";
}

} // namespace sotto::aggregator
