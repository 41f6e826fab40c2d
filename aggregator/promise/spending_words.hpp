// SPDX-License-Identifier: Apache-2.0
// A device's charges in sentences, each with its full stop; lines end in \n.
#ifndef SOTTO_AGGREGATOR_PROMISE_SPENDING_WORDS_HPP
#define SOTTO_AGGREGATOR_PROMISE_SPENDING_WORDS_HPP

#include "aggregator/registry/registry.hpp"

#include <string>

namespace sotto::aggregator {

// One metric of `known`: its epoch, its budget and its life.
std::string spending_text(const metric &m, const registry &known);
// All metrics together.
std::string spending_text(const registry &known);

} // namespace sotto::aggregator
#endif
