// SPDX-License-Identifier: Apache-2.0
#include "random/geometric.hpp"

#include "random/bernoulli.hpp"

namespace sotto {

uint32_t geometric(const sotto_geometric &g, const uint8_t *random) {
    const uint32_t *limbs = g.digit;
    const uint32_t bits = uint32_t{g.digit_count} + g.has_overflow, limb_count = g.digit_limbs;
    uint32_t number = 0;
    for (uint32_t j = 0; j < bits; ++j) {
        number |= below(limbs, limb_count, random) << j;
        limbs += limb_count;
        random += size_t{4} * limb_count;
    }
    return number;
}

} // namespace sotto
