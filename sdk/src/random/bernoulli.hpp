// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_BERNOULLI_HPP
#define SOTTO_RANDOM_BERNOULLI_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

inline constexpr size_t bernoulli_bytes = 8;

// 1 if u < T, else 0: u the little-endian number of limb_count 32-bit limbs in
// random[0 .. 4 * limb_count), T the limbs, low first. So 1 with probability T / 2^(32 limb_count)
// exactly. Same instructions and addresses whatever u and T.
uint32_t below(const uint32_t *limbs, size_t limb_count, const uint8_t *random);

// One with the probability of a table's 64-bit threshold; takes bernoulli_bytes.
inline uint32_t bernoulli(const sotto_threshold &threshold, const uint8_t *random) {
    return below(threshold.limb, 2, random);
}

} // namespace sotto
#endif
