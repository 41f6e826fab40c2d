// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_GEOMETRIC_HPP
#define SOTTO_RANDOM_GEOMETRIC_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

struct geometric_draw {
    uint32_t value;    // modulo 2^digit_count
    uint32_t overflow; // 1 when the number is 2^digit_count or more; 0 when the table has no flag
};

inline size_t geometric_bytes(const sotto_geometric &g) {
    return size_t{4} * g.digit_limbs * (g.digit_count + g.has_overflow);
}

// P(k) = (1 - q) q^k by independent binary digits, since q^k is the product of q^(2^j) over the
// digits j of k. Same instructions and addresses for all randomness.
geometric_draw geometric(const sotto_geometric &g, const uint8_t *random);

} // namespace sotto
#endif
