// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_EPSILON_PROMISE_HPP
#define SOTTO_AGGREGATOR_PROGRAM_EPSILON_PROMISE_HPP

#include "aggregator/registry/registry.hpp"

namespace sotto::aggregator {

// What a metric promises and what it does not, in sentences for whoever signs.
std::string promise(const metric &m);

} // namespace sotto::aggregator
#endif
