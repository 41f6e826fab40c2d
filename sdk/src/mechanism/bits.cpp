// SPDX-License-Identifier: Apache-2.0
#include "mechanism/bits.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

uint32_t members_of_word(uint32_t size, uint32_t index) {
    const uint32_t rest = size - lanes * index;
    return rest >= lanes ? UINT32_MAX : (uint32_t{1} << rest) - 1;
}

uint32_t noised_bits(const sotto_bit_channel &channel, uint32_t size, uint32_t index, uint32_t bits,
                     const uint8_t *random) {
    return bernoulli_lanes(channel, bits, random) & members_of_word(size, index);
}

uint32_t one_member(uint32_t member, uint32_t size, uint32_t index) {
    // A shift by a register takes the same time for every amount on the cores we run on.
    const uint32_t bit = uint32_t{1} << (member % lanes);
    return bit & equal(member / lanes, index) & members_of_word(size, index);
}

void set_members(const uint16_t *members, size_t slots, uint32_t size, uint32_t *words) {
    for (uint32_t w = 0; w < bit_words(size); ++w) {
        words[w] = 0;
        for (size_t i = 0; i < slots; ++i) {
            words[w] |= one_member(members[i], size, w);
        }
    }
}

uint32_t encode_one(uint32_t size, const given &value, uint32_t *words) {
    const uint32_t member = *static_cast<const uint32_t *>(value.value);
    for (uint32_t w = 0; w < bit_words(size); ++w) {
        words[w] = one_member(member, size, w);
    }
    return ~less(member, size) & static_cast<uint32_t>(SOTTO_ERR_NO_SUCH_VALUE);
}

uint32_t forward_bits(const sotto_forward_bits &step, uint32_t last, uint32_t true_bits,
                      const uint8_t *random) {
    return select(true_bits, bernoulli_lanes(step.given[1], last, random),
                  bernoulli_lanes(step.given[0], last, random));
}

} // namespace sotto
