// SPDX-License-Identifier: Apache-2.0
// Releases that share permanent noise, where a mechanism remembers values. The joint loss of n
// of them is no sum over them: it rises ever more slowly. A slot says how many its epoch has, and
// the highest level of any. A window costs what all of its releases lose at the highest of its
// levels.
#ifndef SOTTO_PRIVACY_SHARED_NOISE_HPP
#define SOTTO_PRIVACY_SHARED_NOISE_HPP

#include <stdint.h>

namespace sotto::ledger {

// As in sotto_metric: cost[level * counts + min(n, counts) - 1] is that of n releases.
struct shared_costs {
    const uint32_t *cost;
    uint32_t levels, counts;
};

// The slot with so many more releases, and with that level. An exhausted one stays so.
uint32_t with_releases(uint32_t slot, uint32_t count, uint32_t level);

// The joint cost of so many slots; above every budget where one is exhausted.
uint64_t joint_cost(const shared_costs &costs, const uint32_t *slots, uint32_t epochs);

} // namespace sotto::ledger
#endif
