// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_ONE_BIT_MEAN_HPP
#define SOTTO_MECHANISM_ONE_BIT_MEAN_HPP

#include "sotto/registry.h"

#include <stdint.h>

namespace sotto {

inline constexpr uint32_t one_bit_mean_bytes = 4;

uint32_t clamped_number(const sotto_one_bit_mean &table, uint32_t value);

// One-bit mean (Ding, Kulkarni, Yekhanin 2017). A number in a range is rounded at random to one
// end, once a release, and the bit goes through randomized response. The epsilon is that of the
// response, whatever the rounding. Returns 1 with probability (value - min) * scale / 2^32 for the
// clamped value. Takes one_bit_mean_bytes. Pure and in fixed time.
uint32_t rounded_to_one_bit(const sotto_one_bit_mean &table, uint32_t value, const uint8_t *random);

} // namespace sotto
#endif
