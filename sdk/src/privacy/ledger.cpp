// SPDX-License-Identifier: Apache-2.0
#include "privacy/ledger.hpp"

namespace sotto::ledger {

void advance(uint32_t *slots, uint32_t window, uint32_t epochs) {
    for (uint32_t i = slot_count(window); i-- > 0;) {
        slots[i] = i >= epochs ? slots[i - epochs] : 0;
    }
}

bool can_spend(const uint32_t *slots, uint32_t window, uint32_t budget, uint32_t age,
               uint32_t cost) {
    if (window == 0) {
        return true;
    }
    if (age >= window) {
        return false;
    }
    uint64_t sum = cost; // 64 bits hold every sum of slots, damaged ones too
    for (uint32_t i = 0; i < window; ++i) {
        sum += slots[i];
    }
    // Windows that begin later than now lie within the first one, as long as nothing is in them.
    for (uint32_t newest = 0; sum <= budget; ++newest) {
        if (newest == age) {
            return true;
        }
        sum += slots[newest + window];
        sum -= slots[newest];
    }
    return false;
}

bool spend(uint32_t *slots, uint32_t window, uint32_t budget, uint32_t age, uint32_t cost) {
    if (!can_spend(slots, window, budget, age, cost)) {
        return false;
    }
    if (window > 0) {
        slots[age] += cost; // within the budget, so that it does not wrap
    }
    return true;
}

uint32_t frees_in(const uint32_t *slots, uint32_t window, uint32_t budget, uint32_t cost) {
    if (cost > budget && window > 0) {
        return never;
    }
    uint64_t sum = cost;
    for (uint32_t kept = 0; kept < window; ++kept) {
        sum += slots[kept];
        if (sum > budget) {
            return window - kept;
        }
    }
    return 0;
}

void exhaust(uint32_t *slots, uint32_t window) {
    if (window > 0) {
        slots[0] = UINT32_MAX;
    }
}

} // namespace sotto::ledger
