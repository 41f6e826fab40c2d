// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_GEOMETRIC_HPP
#define SOTTO_RANDOM_GEOMETRIC_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

inline size_t geometric_bytes(const sotto_geometric &g) {
    return size_t{4} * g.digit_limbs * (g.digit_count + g.has_overflow);
}

// P(k) = (1 - q) q^k by independent binary digits, since q^k is the product of q^(2^j) over the
// digits j of k. The number is modulo 2^digit_count. A table with an overflow has one bit more:
// that k is 2^digit_count or more. Same instructions and addresses for all randomness.
uint32_t geometric(const sotto_geometric &g, const uint8_t *random);

} // namespace sotto
#endif
