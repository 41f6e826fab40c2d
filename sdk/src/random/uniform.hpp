// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_UNIFORM_HPP
#define SOTTO_RANDOM_UNIFORM_HPP

#include <stddef.h>
#include <stdint.h>

namespace sotto {

inline constexpr size_t uniform_bytes = 8;

// floor(x * size / 2^32), size at most 2^16. Multiplies 16-bit halves with 32-bit MUL: a long
// multiply takes operand-dependent time on Cortex-M3.
inline uint32_t scaled(uint32_t x, uint32_t size) {
    return ((x >> 16) * size + ((x & 0xffff) * size >> 16)) >> 16;
}

// floor(u * size / 2^64) for the little-endian u in random[0 .. uniform_bytes), size at most 2^16:
// 0 ... size - 1, each with probability 1 / size to within 2^-64. By halves as well.
// Same instructions and addresses for all randomness.
uint32_t uniform_below(uint32_t size, const uint8_t *random);

} // namespace sotto
#endif
