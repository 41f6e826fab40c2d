// SPDX-License-Identifier: Apache-2.0
// The loss of all that a registry lets a device publish of so many epochs, at every level: what a
// privacy reviewer signs.
#ifndef SOTTO_AGGREGATOR_PROMISE_HORIZON_HPP
#define SOTTO_AGGREGATOR_PROMISE_HORIZON_HPP

#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/registry/registry.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

inline constexpr std::uint32_t horizon_epochs_max = 1'000'000;

// In 2^-20 epsilon, never too low; nothing where no bound can be said.
struct horizon_loss {
    std::string name; // the metric's; "": the whole device
    // A person's values or a source's points of so many epochs, by column; not of events.
    std::vector<spending::units> values;
    // One event of a counter, in whatever epoch.
    std::optional<spending::units> event;
    protected_unit protects = protected_unit::value;
};

// A column for each number of epochs, a row for each metric, and one for them all together. Units
// that are protected in different ways are never added.
struct horizon_table {
    std::vector<std::uint32_t> epochs; // rising
    std::vector<horizon_loss> metrics;
    horizon_loss device;                 // its values, and its events
    std::optional<horizon_loss> sources; // where points are counted
};

// One epoch, each budget's window, 365 epochs, and `epochs`, 1 to horizon_epochs_max.
horizon_table horizon_of(const registry &known, std::uint32_t epochs);

// As a table in lines of `width` characters, with what it means.
std::string horizon_text(const registry &known, const horizon_table &table, std::size_t width);

} // namespace sotto::aggregator
#endif
