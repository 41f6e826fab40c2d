// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_BERNOULLI_HPP
#define SOTTO_RANDOM_BERNOULLI_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

inline constexpr size_t bernoulli_bytes = 8;

// 1 with probability threshold / 2^64 exactly, else 0: u < T for the 64-bit little-endian u in
// random[0 .. bernoulli_bytes). Same instructions and addresses whatever u and T.
uint32_t bernoulli(const sotto_threshold &threshold, const uint8_t *random);

} // namespace sotto
#endif
