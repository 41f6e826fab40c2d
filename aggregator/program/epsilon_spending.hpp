// SPDX-License-Identifier: Apache-2.0
// What a device is charged: in an epoch, in a window and in its life.
#ifndef SOTTO_AGGREGATOR_PROGRAM_EPSILON_SPENDING_HPP
#define SOTTO_AGGREGATOR_PROGRAM_EPSILON_SPENDING_HPP

#include "aggregator/registry/registry.hpp"

namespace sotto::aggregator {

// In 2^-20 epsilon; nothing where there is no bound, or none that the tables can say.
struct spending {
    using units = std::optional<std::uint64_t>;

    units first, top; // an epoch of all its measurements, at the first level or up to the highest
    units window;     // the budget
    units life;
};

// RAPPOR that protects values: the first epoch; each later one is charged less.
spending spending_of(const metric &m);
// Of all metrics together.
spending spending_of(const registry &of);

// Sentences for epsilon_table, and a JSON object.
std::string spending_text(const metric &m, const registry &of);
std::string spending_text(const registry &of);
std::string spending_json(const spending &s);

} // namespace sotto::aggregator
#endif
