// SPDX-License-Identifier: Apache-2.0
// The promise of a histogram: of points that move a little, and whom it trusts.
#ifndef SOTTO_AGGREGATOR_PROMISE_EPSILON_PLACES_HPP
#define SOTTO_AGGREGATOR_PROMISE_EPSILON_PLACES_HPP

#include "aggregator/registry/registry.hpp"

#include <string>

namespace sotto::aggregator {

// "any two places of a point that are 8 bins apart at most", for a metric that protects sources.
std::string move_in_words(const metric &m);
// Points that move further, the number of points, the gateway.
std::string places_text(const metric &m);

} // namespace sotto::aggregator
#endif
