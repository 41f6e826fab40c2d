// SPDX-License-Identifier: Apache-2.0
#include "privacy/ledger.hpp"

namespace sotto::ledger {

void advance(uint32_t *slots, uint32_t window, uint32_t epochs) {
    for (uint32_t i = slot_count(window); i-- > 0;) {
        slots[i] = i >= epochs ? slots[i - epochs] : 0;
    }
}

void exhaust(uint32_t *slots, uint32_t window) {
    if (window > 0) {
        slots[0] = exhausted;
    }
}

void add(uint32_t &slot, uint32_t cost) {
    slot = cost < exhausted - slot ? slot + cost : exhausted;
}

uint64_t sum(const uint32_t *slots, uint32_t epochs) {
    uint64_t total = 0; // 64 bits hold every sum of slots, damaged ones too
    for (uint32_t i = 0; i < epochs; ++i) {
        total += slots[i];
    }
    return total;
}

} // namespace sotto::ledger
