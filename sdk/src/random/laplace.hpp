// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_LAPLACE_HPP
#define SOTTO_RANDOM_LAPLACE_HPP

#include "random/geometric.hpp"
#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

inline size_t laplace_bytes(const sotto_laplace_noise &noise) {
    return 12 + geometric_bytes(noise.size);
}

// Zero, or else of either sign and of size 1 + Geom(q). With P(nonzero) = 2q / (1 + q) that is the
// law of Laplace on the integers, (1 - q) / (1 + q) q^|k|. It takes one geometric draw, without
// rejection and without a second zero. In two's complement, below 2^digit_count + 1 in size. Same
// instructions and addresses for all randomness.
uint32_t laplace(const sotto_laplace_noise &noise, const uint8_t *random);

} // namespace sotto
#endif
