// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_FIXED_TIME_HPP
#define SOTTO_RANDOM_FIXED_TIME_HPP

#include <stdint.h>

namespace sotto {

// Decisions on secrets as masks: all ones for true, zero for false.
using mask = uint32_t;

// Keeps the compiler from finding out that a mask has two values only, and branching on it.
inline uint32_t opaque(uint32_t x) {
#if defined(__GNUC__)
    __asm__("" : "+r"(x));
    return x;
#else
    const volatile uint32_t unknown = x;
    return unknown;
#endif
}

inline mask mask_of_bit(uint32_t bit) { return opaque(0u - (bit & 1u)); }
inline uint32_t select(mask m, uint32_t yes, uint32_t no) { return no ^ (m & (yes ^ no)); }
inline mask is_zero(uint32_t x) { return mask_of_bit(((x | (0u - x)) >> 31) ^ 1u); }
inline mask equal(uint32_t a, uint32_t b) { return is_zero(a ^ b); }

// The borrow out of a - b - borrow, 0 or 1.
inline uint32_t borrow_of(uint32_t a, uint32_t b, uint32_t borrow) {
    return ((~a & b) | ((~a | b) & (a - b - borrow))) >> 31;
}
inline mask less(uint32_t a, uint32_t b) { return mask_of_bit(borrow_of(a, b, 0)); }

// Signed numbers travel as their two's complement in a uint32_t.
inline mask less_signed(uint32_t a, uint32_t b) {
    return mask_of_bit(((a & ~b) | (~(a ^ b) & (a - b))) >> 31);
}
uint32_t clamp_signed(uint32_t x, uint32_t low, uint32_t high);
inline uint32_t negate_if(mask m, uint32_t x) { return (x ^ m) - m; }

// The public part of a secret: whether a call was a programming error.
#ifdef SOTTO_CONSTANT_TIME_TEST
uint32_t declassified(uint32_t x);
#else
inline uint32_t declassified(uint32_t x) { return x; }
#endif

inline uint32_t load32(const uint8_t *b) {
    return static_cast<uint32_t>(b[0]) | static_cast<uint32_t>(b[1]) << 8 |
           static_cast<uint32_t>(b[2]) << 16 | static_cast<uint32_t>(b[3]) << 24;
}

} // namespace sotto
#endif
