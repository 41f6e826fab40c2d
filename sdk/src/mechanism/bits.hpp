// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_BITS_HPP
#define SOTTO_MECHANISM_BITS_HPP

#include "mechanism/code.hpp"
#include "random/bernoulli_lanes.hpp"
#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// A bit for each of `size` members in 32-bit words: bit i = word[i / 32] >> (i % 32) & 1. Each bit
// goes through its own channel (as Wang, Blocki, Li, Jha 2017 encode a value). Levels below the top
// are drawn through the channel that turns one level's law into the next's.
inline uint32_t bit_words(uint32_t size) { return (size + lanes - 1) / lanes; }

// The bits of word `index` that stand for anything.
uint32_t members_of_word(uint32_t size, uint32_t index);

// Word `index` of a level from the true word (top) or from the word above it. Takes
// bernoulli_lanes_bytes. Pure; fixed time for all bits and all randomness.
uint32_t noised_bits(const sotto_bit_channel &channel, uint32_t size, uint32_t index, uint32_t bits,
                     const uint8_t *random);

// The bits of a set, in words[0 .. bit_words(size)): that of every member which is below `size`.
// Always reads `slots` members, so that the time does not tell how many there are: the caller fills
// what it does not need with no_member. Same instructions and addresses whatever the members.
inline constexpr uint32_t no_member = UINT16_MAX;
// The bit of one member in word `index`: zero when it is elsewhere, or no member. Fixed time.
uint32_t one_member(uint32_t member, uint32_t size, uint32_t index);
void set_members(const uint16_t *members, size_t slots, uint32_t size, uint32_t *words);
// sotto_code's `encode` of one member of so many.
uint32_t encode_one(uint32_t size, const given &value, uint32_t *words);

inline size_t forward_bits_bytes(const sotto_forward_bits &step) {
    const uint8_t a = step.given[0].bits, b = step.given[1].bits;
    return size_t{4} * (a > b ? a : b);
}

// 32 bits of a level above the ladder, drawn forward from the last ones published and the true
// ones. The law is that of the next level given the last, by Bayes. Fixed time as above.
uint32_t forward_bits(const sotto_forward_bits &step, uint32_t last, uint32_t true_bits,
                      const uint8_t *random);

} // namespace sotto
#endif
