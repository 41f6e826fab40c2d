// SPDX-License-Identifier: Apache-2.0
#include "random/bernoulli_lanes.hpp"

#include "random/fixed_time.hpp"

namespace sotto {
namespace {

// Bit j of the lanes' thresholds: a lane's is that of the probability which its input bit selects.
uint32_t threshold_bit(const sotto_bit_channel &channel, uint32_t in, uint32_t j) {
    const uint32_t limb = j >> 5, shift = j & 31;
    const uint32_t if_zero = mask_of_bit(channel.one_if_zero.limb[limb] >> shift);
    const uint32_t if_one = mask_of_bit(channel.one_if_one.limb[limb] >> shift);
    return select(in, if_one, if_zero);
}

} // namespace

uint32_t bernoulli_lanes(const sotto_bit_channel &channel, uint32_t in, const uint8_t *random) {
    // u < T bit by bit from the low end: where the bits differ T's decides, else what was before.
    uint32_t is_below = 0;
    for (uint32_t j = 0; j < channel.bits; ++j) {
        const uint32_t u = load32(random + size_t{4} * j);
        const uint32_t t = threshold_bit(channel, in, j);
        is_below = (t & ~u) | (~(t ^ u) & is_below);
    }
    // 2^bits itself: always.
    return channel.bits < 64 ? is_below | threshold_bit(channel, in, channel.bits) : is_below;
}

} // namespace sotto
