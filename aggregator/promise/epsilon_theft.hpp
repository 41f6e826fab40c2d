// SPDX-License-Identifier: Apache-2.0
// The knowledge of a thief who takes a device and reads all of its memory.
#ifndef SOTTO_AGGREGATOR_PROMISE_EPSILON_THEFT_HPP
#define SOTTO_AGGREGATOR_PROMISE_EPSILON_THEFT_HPP

#include "aggregator/registry/registry.hpp"

namespace sotto::aggregator {

// Is there more to find with the device secret?
bool secret_tells(const metric &m);

// Sentences on the loss to a thief of the device.
std::string theft_text(const metric &m);

} // namespace sotto::aggregator
#endif
