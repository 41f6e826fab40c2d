// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/spending_words.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/promise/epsilon_spending.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace sotto::aggregator {
namespace {

using units = spending::units;

std::string text(const units &cost) {
    return cost ? "epsilon " + rounded_up(epsilon_of_units(*cost)) : "more than epsilon 2048";
}

constexpr const char *values_of_a_window =
    "  Where noise is remembered, a window's budget is for values that are reported in no other "
    "window; what others lose is bounded by a device's life.\n";

// A budget may pay for more than there can be.
std::string paid(const units &count, std::uint64_t possible) {
    return count && *count < possible ? grouped(*count) : "all " + grouped(possible);
}

std::string budget_text(const metric &m, std::size_t top) {
    const std::uint64_t possible = std::uint64_t{m.window->epochs} * m.per_epoch;
    const units first = affordable_releases(m, 0);
    const units relaxed = affordable_releases(m, top);
    std::string line = fmt::format(
        "  Budget of this metric: epsilon {} in any {}; the device refuses more. It pays for {}",
        m.window->epsilon.text, counted(m.window->epochs, "epoch"),
        paid(first, possible) +
            (first == units(1) || possible == 1 ? " measurement" : " measurements"));
    if (top > 0) {
        line += fmt::format(" at level 0, or {} relaxed to level {}", paid(relaxed, possible), top);
    }
    return line + ".\n" + (has_lifetime(m) ? values_of_a_window : "");
}

std::string epoch_text(const spending &s, std::size_t start, std::size_t top) {
    std::string line = text(s.first) + (top > 0 ? fmt::format(" at level {}", start) : "");
    if (top > start) {
        line += fmt::format(", {} relaxed to level {}", text(s.top), top);
    }
    return line;
}

std::string lifetime_text(const metric &m, std::size_t top) {
    std::string line = fmt::format("  Releases are charged together, those of a window as those of "
                                   "a device's life until it is wiped. At level {}: ",
                                   top);
    std::vector<std::string> parts;
    for (const std::uint32_t count : repeated_loss::counts) {
        if (count < m.cost_reports) {
            parts.push_back(fmt::format("{} for {}", text(loss_of_releases(m, top, count)),
                                        counted(count, "release")));
        }
    }
    parts.push_back(text(loss_of_releases(m, top, any_number_of_releases)) + " however many");
    return line + joined(parts) + ".\n";
}

std::string no_lifetime(bool has_budget) {
    return fmt::format("  No bound for a device's life: every {} costs again.\n",
                       has_budget ? "window" : "epoch");
}

} // namespace

std::string spending_text(const metric &m, const registry &known) {
    const spending s = spending_of(m);
    const std::size_t top = m.level_count() - 1;
    const bool counts_events = protects(m) == protected_unit::event;
    std::string text = fmt::format("  An epoch of {}: {}.\n", counted(m.per_epoch, "measurement"),
                                   epoch_text(s, m.highest_start(), top));
    if (!m.policy.empty()) {
        text += fmt::format("  A measurement starts at a level up to {}, by the levels of the {} "
                            "epochs before it: its policy knows no value.\n",
                            m.highest_start(), m.window->epochs - 1);
    }
    if (counts_events) {
        text = fmt::format("  An epoch is charged {} of one event, when its rows open.\n",
                           epoch_text(s, m.highest_start(), top));
    }
    if (m.window) {
        text += budget_text(m, top);
    } else if (!counts_events) {
        text += fmt::format("  No budget of this metric: {}.\n",
                            has_lifetime(m) ? "its epochs add up, to what a life loses at most"
                            : known.device  ? "only the device's bounds what its epochs add up to"
                                            : "its epochs add up");
    }
    if (has_lifetime(m)) {
        return text + lifetime_text(m, top);
    }
    if (counts_events) {
        return text + "  An event loses this once, in a device's life.\n";
    }
    return text + no_lifetime(m.window || known.device);
}

namespace {

// The line of an epoch's values, of an event, of a source: never one sum.
std::string total_text(const registry &known, protected_unit unit) {
    const spending s = spending_of(known, unit);
    const std::uint64_t event = cost_of_event(known);
    switch (unit) {
    case protected_unit::value:
        if (std::ranges::count(known.metrics, unit, protects) == 0) {
            return "";
        }
        return fmt::format(
            "  An epoch of {}: {}{}.\n",
            std::ranges::count(known.metrics, unit, protects) == std::ssize(known.metrics)
                ? "everything"
                : "all values",
            text(s.first),
            s.top == s.first
                ? ""
                : fmt::format(", {} if all is relaxed to its highest level", text(s.top)));
    case protected_unit::event:
        return event == 0
                   ? ""
                   : fmt::format("  One event, in every counter that counts it: {}. Events and "
                                 "values are never added up; the device's budget is charged for "
                                 "both.\n",
                                 text(event));
    case protected_unit::source:
        return s.first == units(0)
                   ? ""
                   : fmt::format("  A source of points, in every metric that counts them: {} an "
                                 "epoch. Sources and values are never added up; the device's "
                                 "budget is charged for both.\n",
                                 text(s.first));
    }
    return "";
}

} // namespace

std::string spending_text(const registry &known) {
    const spending s = spending_of(known, protected_unit::value);
    std::string line;
    for (const protected_unit unit : every_protected_unit) {
        line += total_text(known, unit);
    }
    line += known.device
                ? fmt::format("  Budget of the whole device: epsilon {} in any {}; the device "
                              "refuses more.\n",
                              known.device->epsilon.text, counted(known.device->epochs, "epoch")) +
                      (remembers_noise(known) ? values_of_a_window : "")
                : fmt::format("  No budget of the whole device: metrics {}add up.\n",
                              s.life ? "" : "and epochs ");
    if (std::ranges::count(known.metrics, protected_unit::value, protects) == 0) {
        return line + "  No person's values are measured: what is lost for each event or source "
                      "holds for a device's life, as its metric says.\n";
    }
    line += s.life ? fmt::format("  In a device's life: {}.\n", text(s.life))
                   : no_lifetime(known.device.has_value());
    return line;
}

} // namespace sotto::aggregator
