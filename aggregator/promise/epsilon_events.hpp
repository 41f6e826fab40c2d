// SPDX-License-Identifier: Apache-2.0
// The promise of a counter: of single events, and never of a device's values.
#ifndef SOTTO_AGGREGATOR_PROMISE_EPSILON_EVENTS_HPP
#define SOTTO_AGGREGATOR_PROMISE_EPSILON_EVENTS_HPP

#include "aggregator/registry/registry.hpp"

#include <cstdint>
#include <vector>

namespace sotto::aggregator {

// Whether epsilon is of one event.
bool is_of_events(const metric &m);

// "one event of at most 3 units".
std::string event_in_words(const metric &m);
std::string promise_of_events(const metric &m);
std::string theft_of_events(const metric &m);

// The loss of an event to all that was published by the end of the epoch so much later; rows that
// close together count at the worst moment.
struct loss_by_age {
    std::uint32_t age = 0;
    double epsilon = 0;
};
// By every age at which it grows.
std::vector<loss_by_age> losses_by_age(const metric &m);
// A table of that where an event fades; else "".
std::string ages_text(const metric &m);

} // namespace sotto::aggregator
#endif
