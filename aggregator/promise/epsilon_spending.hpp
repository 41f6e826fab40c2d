// SPDX-License-Identifier: Apache-2.0
// A device's charges: in an epoch, in a window and in its life.
#ifndef SOTTO_AGGREGATOR_PROMISE_EPSILON_SPENDING_HPP
#define SOTTO_AGGREGATOR_PROMISE_EPSILON_SPENDING_HPP

#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/registry/registry.hpp"

namespace sotto::aggregator {

// In 2^-20 epsilon; nothing where there is no bound, or none that the tables can say.
struct spending {
    using units = std::optional<std::uint64_t>;

    units first, top; // an epoch of all its measurements, at the first level or up to the highest
    units window;     // the budget
    units life;
};

// Whether a metric's epochs add up to no more than a bound: RAPPOR that protects values.
bool has_lifetime(const metric &m);
// Whether it has such a metric: a window's budget is then for values that no other window has.
bool remembers_noise(const registry &known);

// For such a metric: the loss of so many releases of one device, each at every level up to `level`.
// Nothing, or infinite, where the tables don't hold it.
inline constexpr std::uint32_t any_number_of_releases = 0xffffffff;
spending::units loss_of_releases(const metric &m, std::size_t level, std::uint32_t releases);
// Their loss as an epsilon.
double loss_of_life(const metric &m, std::size_t level, std::uint32_t releases);

// How many releases up to `level` the metric's budget of a window pays for. Nothing: any number.
spending::units affordable_releases(const metric &m, std::size_t level);

// RAPPOR that protects values: an epoch that is alone in its window; more of them are charged less.
spending spending_of(const metric &m);
// The spending of all metrics that protect values, or sources, together.
spending spending_of(const registry &known, protected_unit unit);
// An event that every counter counts, in 2^-20 epsilon: never added to the loss of values.
std::uint64_t cost_of_event(const registry &known);

// Exact: `cost` in 2^-20 epsilon, below 2^53.
double epsilon_of_units(std::uint64_t cost);

} // namespace sotto::aggregator
#endif
