// SPDX-License-Identifier: Apache-2.0
#include "mechanism/bits.hpp"
#include "mechanism/code.hpp"
#include "mechanism/table_check.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &m) { return m.table.unary->size; }

// As many members as a value may have are read, whatever is given.
uint32_t encode_set(const sotto_metric &m, const given &value, uint32_t *words) {
    const sotto_unary &table = *m.table.unary;
    const uint32_t count =
        static_cast<uint32_t>(value.count > UINT16_MAX ? UINT16_MAX : value.count);
    const uint16_t nothing = 0;
    const uint16_t *from = count == 0 ? &nothing : static_cast<const uint16_t *>(value.value);
    uint32_t wrong = 0, repeated = 0;
    for (uint32_t i = 0; i < table.max_members; ++i) {
        const mask is_given = less(i, count);
        const auto member = static_cast<uint16_t>(select(is_given, from[is_given & i], no_member));
        wrong |= is_given & ~less(member, table.size);
        for (uint32_t w = 0; w < m.value_words; ++w) {
            const uint32_t bit = one_member(member, table.size, w);
            repeated |= words[w] & bit;
            words[w] |= bit;
        }
    }
    const uint32_t note = select(less(table.max_members, count), SOTTO_VALUE_TOO_MANY,
                                 ~is_zero(repeated) & SOTTO_VALUE_REPEATED_MEMBER);
    return select(is_zero(wrong), note, static_cast<uint32_t>(SOTTO_ERR_NO_SUCH_VALUE));
}

uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    return m.type == SOTTO_TYPE_SET ? encode_set(m, value, words)
                                    : encode_one(size(m), value, words);
}

size_t level_bytes(const sotto_metric &m, uint32_t level) {
    return bernoulli_lanes_bytes(m.table.unary->channel[level]);
}

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t index, uint32_t from,
              const uint8_t *random) {
    const sotto_unary &table = *m.table.unary;
    return noised_bits(table.channel[level], table.size, index, from, random);
}

bool is_sound(const sotto_metric &m) {
    const sotto_unary *table = m.table.unary;
    return (m.type == SOTTO_TYPE_CATEGORY || m.type == SOTTO_TYPE_SET) && table != nullptr &&
           table->size >= 2 && table->size <= SOTTO_BITS_MAX && table->max_members >= 1 &&
           table->max_members <= table->size &&
           (m.type == SOTTO_TYPE_SET || table->max_members == 1) &&
           are_channels(table->channel, m.level_count) &&
           hides(table->channel[m.level_count - 1]) && m.value_words == bit_words(table->size);
}

constexpr sotto_code row(uint8_t mechanism) {
    return {mechanism, shown::bits, steps::bits, 0, size, encode, level_bytes, draw,
            nullptr, // published
            nullptr, // strings
            nullptr, // reports
            is_sound};
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_optimized_unary = sotto::row(SOTTO_MECHANISM_OPTIMIZED_UNARY);
const sotto_code sotto_code_unary = sotto::row(SOTTO_MECHANISM_UNARY);
