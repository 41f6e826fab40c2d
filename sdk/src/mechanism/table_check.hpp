// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_TABLE_CHECK_HPP
#define SOTTO_MECHANISM_TABLE_CHECK_HPP

#include "sotto/registry.h"

// Shared by the checks of several mechanisms' tables.
namespace sotto {

// No registry may ask for more than epsilon 32: ceil(2^64 / (1 + e^32)).
inline constexpr uint32_t top_flip_min = 233613;

inline bool is_zero(const sotto_threshold &t) { return (t.limb[0] | t.limb[1]) == 0; }

inline uint64_t number(const sotto_threshold &t) {
    return static_cast<uint64_t>(t.limb[1]) << 32 | t.limb[0];
}

// The least probability out of 2^bits when it alone hides a value.
uint64_t noise_min(uint32_t bits);

// Is a probability of keeping something that far from 1?
bool leaves_noise(const sotto_threshold &t, uint32_t bits);

// A flip of zero, or above one half, hides nothing, or turns the bit around.
bool are_flips(const sotto_threshold *flip, uint8_t count);

// A channel keeps something of its bit, and does not turn it around.
bool are_channels(const sotto_bit_channel *channel, uint8_t count);

// The channel that meets the true bits must be noisy in both directions.
bool hides(const sotto_bit_channel &channel);

bool is_geometric(const sotto_geometric &geometric);

// The noise of numbers modulo 2^32.
inline bool is_row_noise(const sotto_laplace_noise *noise) {
    return noise != nullptr && is_geometric(noise->size) && noise->size.has_overflow == 0 &&
           number(noise->nonzero) >= noise_min(64);
}

} // namespace sotto
#endif
