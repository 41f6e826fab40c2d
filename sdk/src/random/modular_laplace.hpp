// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_MODULAR_LAPLACE_HPP
#define SOTTO_RANDOM_MODULAR_LAPLACE_HPP

#include "random/laplace.hpp"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

inline constexpr size_t uniform_choice_bytes = 12;

inline size_t modular_laplace_bytes(const sotto_laplace_noise &noise) {
    return uniform_choice_bytes + laplace_bytes(noise);
}

// Noise on the integers modulo 2^32: that of laplace() or, with probability 2^-64, uniform. No
// number is then impossible, so that a sum needs no range. Same instructions and addresses for all
// randomness. tools/registry/modular_laplace.py certifies it.
uint32_t modular_laplace(const sotto_laplace_noise &noise, const uint8_t *random);

} // namespace sotto
#endif
