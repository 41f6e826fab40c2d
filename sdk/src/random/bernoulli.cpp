// SPDX-License-Identifier: Apache-2.0
#include "random/bernoulli.hpp"

namespace sotto {

uint32_t bernoulli(const sotto_threshold &threshold, const uint8_t *random) {
    // u < T is the borrow out of u - T, taken limb by limb with masks: a 64-bit comparison compiles
    // to branches on Cortex-M0.
    uint32_t borrow = 0;
    for (size_t i = 0; i < 2; ++i) {
        const uint8_t *b = random + 4 * i;
        const uint32_t u = static_cast<uint32_t>(b[0]) | static_cast<uint32_t>(b[1]) << 8 |
                           static_cast<uint32_t>(b[2]) << 16 | static_cast<uint32_t>(b[3]) << 24;
        const uint32_t t = threshold.limb[i];
        const uint32_t difference = u - t - borrow;
        borrow = ((~u & t) | ((~u | t) & difference)) >> 31;
    }
    return borrow;
}

} // namespace sotto
