// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_spending.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

using units = spending::units;

constexpr std::uint32_t off_the_scale = 0xffffffff;

// The table's greatest number stands for all that it can't hold.
units known(std::uint32_t cost) { return cost == off_the_scale ? units() : units(cost); }

units epoch(const metric &m, std::size_t level) {
    if (has_lifetime(m)) {
        return known(m.cost(level, m.per_epoch));
    }
    return std::uint64_t{m.per_epoch} * m.costs[level];
}

units sum(const units &a, const units &b) { return a && b ? units(*a + *b) : units(); }

} // namespace

double epsilon_of_units(std::uint64_t cost) { return std::ldexp(static_cast<double>(cost), -20); }

bool has_lifetime(const metric &m) { return m.cost_reports > 0; }

bool remembers_noise(const registry &known) {
    return std::any_of(known.metrics.begin(), known.metrics.end(), has_lifetime);
}

double loss_of_life(const metric &m, std::size_t level, std::uint32_t releases) {
    const units cost = loss_of_releases(m, level, releases);
    return cost ? epsilon_of_units(*cost) : HUGE_VAL;
}

spending::units loss_of_releases(const metric &m, std::size_t level, std::uint32_t releases) {
    return known(m.cost(level, releases));
}

spending::units affordable_releases(const metric &m, std::size_t level) {
    const std::uint64_t budget = m.window->units;
    if (!has_lifetime(m)) {
        return budget / m.costs[level];
    }
    if (m.cost(level, any_number_of_releases) <= budget) {
        return {};
    }
    std::uint32_t count = 0;
    while (m.cost(level, count + 1) <= budget) {
        ++count;
    }
    return count;
}

spending spending_of(const metric &m) {
    const std::size_t top = m.level_count() - 1;
    spending s = {epoch(m, m.highest_start()), epoch(m, top), {}, {}};
    if (m.window) {
        s.window = m.window->units;
    }
    if (has_lifetime(m)) {
        s.life = known(m.cost(top, any_number_of_releases));
    }
    return s;
}

spending spending_of(const registry &known, protected_unit unit) {
    spending total = {0, 0, {}, 0};
    for (const metric &m : known.metrics) {
        if (protects(m) != unit) {
            continue;
        }
        const spending part = spending_of(m);
        total.first = sum(total.first, part.first);
        total.top = sum(total.top, part.top);
        total.life = sum(total.life, part.life);
    }
    if (known.device) {
        total.window = known.device->units;
    }
    return total;
}

std::uint64_t cost_of_event(const registry &known) {
    std::uint64_t sum = 0;
    for (const metric &m : known.metrics) {
        sum += protects(m) == protected_unit::event ? m.joint_cost : 0;
    }
    return sum;
}

} // namespace sotto::aggregator
