// SPDX-License-Identifier: Apache-2.0
#include "random/bernoulli.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

uint32_t below(const uint32_t *limbs, size_t limb_count, const uint8_t *random) {
    // The borrow out of u - T, taken limb by limb with masks: a 64-bit comparison compiles to
    // branches on Cortex-M0.
    uint32_t borrow = 0;
    for (size_t i = 0; i < limb_count; ++i) {
        borrow = borrow_of(load32(random + 4 * i), limbs[i], borrow);
    }
    return borrow;
}

} // namespace sotto
