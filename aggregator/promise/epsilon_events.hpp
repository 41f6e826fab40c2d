// SPDX-License-Identifier: Apache-2.0
// The promise of a counter: of single events, and never of a device's values.
#ifndef SOTTO_AGGREGATOR_PROMISE_EPSILON_EVENTS_HPP
#define SOTTO_AGGREGATOR_PROMISE_EPSILON_EVENTS_HPP

#include "aggregator/registry/registry.hpp"

#include <cstdint>
#include <vector>

namespace sotto::aggregator {

// The loss of an event to all that was published by the end of the epoch so much later. Rows that
// close together count at the worst moment.
struct loss_by_age {
    std::uint32_t age = 0;
    double epsilon = 0;
};
// By every age at which it grows.
std::vector<loss_by_age> losses_by_age(const metric &m);

} // namespace sotto::aggregator
#endif
