// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/mix.hpp"
#include "mechanism/table_check.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

constexpr uint8_t rounding_bytes = uniform_bytes;
static_assert(rounding_bytes <= mix_bytes); // a draw has room for them

uint32_t pairs_of(uint32_t n) { return n * (n - 1) / 2; }

uint32_t size(const sotto_metric &m) {
    const sotto_pad_and_sample &table = *m.table.pad_and_sample;
    const uint32_t elements = uint32_t{table.size} + table.max_members;
    return table.named == 1 ? elements : pairs_of(elements);
}

// Places of the padded set, as secret as the randomness that they come from.
struct places {
    uint32_t first, second; // the same where an answer names one element
};

// Each place as likely, or each pair of them.
places draw_places(const sotto_pad_and_sample &table, const uint8_t *random) {
    const uint32_t most = table.max_members;
    if (table.named == 1) {
        const uint32_t place = uniform_below(most, random);
        return {place, place};
    }
    const uint32_t pair = uniform_below(pairs_of(most), random);
    places drawn = {0, 0};
    uint32_t number = 0;
    for (uint32_t second = 1; second < most; ++second) {
        for (uint32_t first = 0; first < second; ++first, ++number) {
            const mask is_drawn = equal(number, pair);
            drawn.first |= is_drawn & first;
            drawn.second |= is_drawn & second;
        }
    }
    return drawn;
}

// Elements in the order of pairs (0, 1), (0, 2), (1, 2), (0, 3), ...
uint32_t answer_of(const sotto_pad_and_sample &table, uint32_t a, uint32_t b) {
    if (table.named == 1) {
        return a;
    }
    const mask is_rising = less(a, b);
    return pairs_of(select(is_rising, b, a)) + select(is_rising, a, b);
}

// Place i of a padded set has the member that was given i-th, else a dummy of its own: all places
// differ. As many members as a set may have are read, whatever is given.
uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const sotto_pad_and_sample &table = *m.table.pad_and_sample;
    const uint32_t count =
        static_cast<uint32_t>(value.count > UINT16_MAX ? UINT16_MAX : value.count);
    const uint16_t nothing = 0;
    const uint16_t *from = count == 0 ? &nothing : static_cast<const uint16_t *>(value.value);
    const places drawn = draw_places(table, value.bytes);
    uint32_t wrong = 0, repeated = 0, first = 0, second = 0;
    for (uint32_t i = 0; i < table.max_members; ++i) {
        const mask is_given = less(i, count);
        const uint32_t member = from[is_given & i];
        mask is_again = 0;
        for (uint32_t j = 0; j < i; ++j) {
            is_again |= is_given & equal(from[is_given & j], member);
        }
        wrong |= is_given & ~less(member, table.size);
        repeated |= is_again;
        const uint32_t element = select(is_given & ~is_again, member, table.size + i);
        first |= equal(i, drawn.first) & element;
        second |= equal(i, drawn.second) & element;
    }
    words[0] = answer_of(table, first, second);
    const uint32_t note = select(less(table.max_members, count), SOTTO_VALUE_TOO_MANY,
                                 repeated & SOTTO_VALUE_REPEATED_MEMBER);
    return select(is_zero(wrong), note, static_cast<uint32_t>(SOTTO_ERR_NO_SUCH_VALUE));
}

size_t level_bytes(const sotto_metric &, uint32_t) { return mix_bytes; }

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    return mix(m.table.pad_and_sample->keep[level], from, size(m), random);
}

bool is_sound(const sotto_metric &m) {
    const sotto_pad_and_sample *table = m.table.pad_and_sample;
    if (m.type != SOTTO_TYPE_SET || table == nullptr || table->keep == nullptr || table->size < 2 ||
        table->size > SOTTO_BITS_MAX || table->max_members < 1 ||
        table->max_members > table->size || table->named < 1 || table->named > 2 ||
        table->named > table->max_members || size(m) > SOTTO_CATEGORIES_MAX) {
        return false;
    }
    for (uint8_t i = 0; i < m.level_count; ++i) {
        if (is_zero(table->keep[i])) {
            return false;
        }
    }
    return leaves_noise(table->keep[m.level_count - 1], 64) && m.value_words == 1;
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_pad_and_sample = {SOTTO_MECHANISM_PAD_AND_SAMPLE,
                                              sotto::shown::index,
                                              sotto::steps::none,
                                              sotto::rounding_bytes,
                                              sotto::size,
                                              sotto::encode,
                                              sotto::level_bytes,
                                              sotto::draw,
                                              nullptr, // published
                                              nullptr, // strings
                                              nullptr, // reports
                                              sotto::is_sound};
