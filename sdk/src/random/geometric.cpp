// SPDX-License-Identifier: Apache-2.0
#include "random/geometric.hpp"

#include "random/bernoulli.hpp"

namespace sotto {

geometric_draw geometric(const sotto_geometric &g, const uint8_t *random) {
    const size_t limbs = g.digit_limbs;
    const auto digit = [&](size_t j) {
        return below(g.digit + limbs * j, limbs, random + 4 * limbs * j);
    };
    uint32_t value = 0;
    for (uint32_t j = 0; j < g.digit_count; ++j) {
        value |= digit(j) << j;
    }
    return {value, g.has_overflow != 0 ? digit(g.digit_count) : 0};
}

} // namespace sotto
