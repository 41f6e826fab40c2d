// SPDX-License-Identifier: Apache-2.0
#include "privacy/shared_noise.hpp"

#include "privacy/ledger.hpp"

namespace sotto::ledger {
namespace {

constexpr uint32_t level_shift = 24; // fewer releases than 2^24 in an epoch, fewer levels than 255
constexpr uint32_t count_mask = (uint32_t{1} << level_shift) - 1;

} // namespace

uint32_t with_releases(uint32_t slot, uint32_t count, uint32_t level) {
    const uint32_t before = slot >> level_shift, releases = (slot & count_mask) + count;
    if (slot == exhausted || releases > count_mask) {
        return exhausted;
    }
    return (level > before ? level : before) << level_shift | releases;
}

uint64_t joint_cost(const shared_costs &costs, const uint32_t *slots, uint32_t epochs) {
    uint32_t count = 0, level = 0;
    for (uint32_t i = 0; i < epochs; ++i) {
        const uint32_t here = slots[i] >> level_shift;
        count += slots[i] & count_mask; // 64 epochs at most: it does not wrap
        level = here > level ? here : level;
    }
    if (level >= costs.levels) {
        return exhausted;
    }
    const uint32_t n = count < costs.counts ? count : costs.counts;
    return n == 0 ? 0 : costs.cost[level * costs.counts + n - 1];
}

} // namespace sotto::ledger
