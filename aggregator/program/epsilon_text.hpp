// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_EPSILON_TEXT_HPP
#define SOTTO_AGGREGATOR_PROGRAM_EPSILON_TEXT_HPP

#include "aggregator/registry/registry.hpp"

namespace sotto::aggregator {

// For whoever signs: each metric's promise in sentences, then its numbers.
std::string epsilon_table(const registry &of);
// An object; every number is a number, with all the digits that the registry has.
std::string epsilon_json(const registry &of);

} // namespace sotto::aggregator
#endif
