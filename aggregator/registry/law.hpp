// SPDX-License-Identifier: Apache-2.0
// The law of every published level, from the integers of the tables alone. Estimates rest on the
// probabilities that metrics.json prints and devices act by the tables beside them: where the two
// don't belong together every estimate would be biased, so they are held against each other.
#ifndef SOTTO_AGGREGATOR_REGISTRY_LAW_HPP
#define SOTTO_AGGREGATOR_REGISTRY_LAW_HPP

#include "aggregator/registry/registry.hpp"

namespace sotto::aggregator {

// By level, of the ladder, to within a few units in the last place.
std::vector<level_law> ladder_laws(const mechanism_table &table);

// The law of the level that this step leads to, from a level with the law `last`.
level_law forward_law(const mechanism_table &of, const forward_table &step, const level_law &last);

// The loss of one level of this law, published alone, over any two values; for RAPPOR, of one
// report.
double loss(const metric &m, const level_law &law);

} // namespace sotto::aggregator
#endif
