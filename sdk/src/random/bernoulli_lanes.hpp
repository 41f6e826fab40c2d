// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_BERNOULLI_LANES_HPP
#define SOTTO_RANDOM_BERNOULLI_LANES_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

inline constexpr uint32_t lanes = 32;

// Random bytes for 32 lanes: one bit a lane for each bit of the probabilities.
inline size_t bernoulli_lanes_bytes(const sotto_bit_channel &channel) {
    return size_t{4} * channel.bits;
}

// 32 bits through a channel at once, exact, the lanes independent. Lane i is one with probability
// one_if_one / 2^bits where lane i of `in` is one, one_if_zero / 2^bits where it is zero. Same
// instructions and addresses for every input and all randomness.
uint32_t bernoulli_lanes(const sotto_bit_channel &channel, uint32_t in, const uint8_t *random);

} // namespace sotto
#endif
