// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/horizon.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace sotto::aggregator {
namespace {

using units = spending::units;

units added(const units &a, const units &b) {
    if (!a || !b || *a > std::numeric_limits<std::uint64_t>::max() - *b) {
        return {};
    }
    return *a + *b;
}

units times(const units &cost, std::uint64_t count) {
    if (!cost || (count > 0 && *cost > std::numeric_limits<std::uint64_t>::max() / count)) {
        return {};
    }
    return *cost * count;
}

units lesser(const units &a, const units &b) {
    return a && b ? units(std::min(*a, *b)) : a ? a : b;
}

// Epochs one behind the other: whole windows, and what is left.
units within(const std::optional<budget> &b, std::uint32_t epochs, const units &of_epoch) {
    const units whole = times(of_epoch, epochs);
    if (!b) {
        return whole;
    }
    const units rest = lesser(times(of_epoch, epochs % b->epochs), b->units);
    return lesser(whole, added(times(units(b->units), epochs / b->epochs), rest));
}

// Where noise is remembered the releases of a device's life are charged together.
units of_values(const metric &m, std::uint32_t epochs) {
    const std::size_t top = m.level_count() - 1;
    if (!has_lifetime(m)) {
        return within(m.window, epochs, spending_of(m).top);
    }
    const std::uint32_t cost = m.cost(top, epochs);
    return cost == std::numeric_limits<std::uint32_t>::max() ? units() : units(cost);
}

horizon_loss loss_of(const metric &m, const std::vector<std::uint32_t> &columns) {
    horizon_loss loss{m.name, {}, {}, protects(m)};
    switch (loss.protects) {
    case protected_unit::event:
        loss.event = m.cost(m.level_count() - 1, 1);
        return loss;
    case protected_unit::value:
    case protected_unit::source:
        break;
    }
    for (const std::uint32_t epochs : columns) {
        loss.values.push_back(of_values(m, epochs));
    }
    return loss;
}

// The device's budget bounds what adds up in its ledger. The releases that share noise count in
// windows of their own, so they are added.
units device_values(const registry &known, const horizon_table &table, protected_unit unit,
                    std::size_t column) {
    units charged = 0, of_epoch = 0, remembered = 0;
    for (std::size_t i = 0; i < known.metrics.size(); ++i) {
        if (table.metrics[i].protects != unit) {
            continue;
        }
        const units &loss = table.metrics[i].values[column];
        if (has_lifetime(known.metrics[i])) {
            remembered = added(remembered, loss);
        } else {
            charged = added(charged, loss);
            of_epoch = added(of_epoch, spending_of(known.metrics[i]).top);
        }
    }
    return added(lesser(charged, within(known.device, table.epochs[column], of_epoch)), remembered);
}

horizon_loss loss_of_all(const registry &known, const horizon_table &table, protected_unit unit) {
    horizon_loss loss{"", {}, {}, unit};
    for (std::size_t i = 0; i < table.epochs.size(); ++i) {
        loss.values.push_back(device_values(known, table, unit, i));
    }
    return loss;
}

units loss_of_event(const horizon_table &table) {
    units sum = 0;
    for (const horizon_loss &loss : table.metrics) {
        sum = loss.event ? added(sum, *loss.event) : sum;
    }
    return sum;
}

void add_total(horizon_table &table, const registry &known, protected_unit unit) {
    const bool is_there = std::ranges::count(known.metrics, unit, protects) > 0;
    switch (unit) {
    case protected_unit::value:
        if (is_there) {
            table.device.values = loss_of_all(known, table, unit).values;
        }
        return;
    case protected_unit::event:
        if (is_there) {
            table.device.event.emplace(loss_of_event(table)); // an optional of an optional
        }
        return;
    case protected_unit::source:
        table.sources = is_there ? std::optional(loss_of_all(known, table, unit)) : std::nullopt;
        return;
    }
}

} // namespace

horizon_table horizon_of(const registry &known, std::uint32_t epochs) {
    std::set<std::uint32_t> columns = {1, 365, epochs};
    if (known.device) {
        columns.insert(known.device->epochs);
    }
    for (const metric &m : known.metrics) {
        if (m.window) {
            columns.insert(m.window->epochs);
        }
    }
    horizon_table table{{columns.begin(), columns.end()}, {}, {}, {}};
    for (const metric &m : known.metrics) {
        table.metrics.push_back(loss_of(m, table.epochs));
    }
    for (const protected_unit unit : every_protected_unit) {
        add_total(table, known, unit);
    }
    return table;
}

} // namespace sotto::aggregator
