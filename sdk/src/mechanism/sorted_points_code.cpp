// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/sorting.hpp"
#include "mechanism/table_check.hpp"
#include "random/modular_laplace.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &) { return 0; }

// Where one point moves, the L1 distance of the two sorted vectors is the way that it moved.
uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const sotto_sorted_points &table = *m.table.sorted_points;
    const auto *points = static_cast<const int32_t *>(value.value);
    const auto min = static_cast<uint32_t>(table.min), max = static_cast<uint32_t>(table.max);
    uint32_t changed = 0;
    for (size_t i = 0; i < value.count; ++i) {
        const auto number = static_cast<uint32_t>(points[i]);
        words[i] = clamp_signed(number, min, max);
        changed |= words[i] ^ number;
    }
    sort_signed(words, static_cast<uint32_t>(value.count));
    return ~is_zero(changed) & SOTTO_VALUE_CLAMPED;
}

size_t level_bytes(const sotto_metric &m, uint32_t) {
    return modular_laplace_bytes(*m.table.sorted_points->noise);
}

uint32_t draw(const sotto_metric &m, uint32_t, uint32_t, uint32_t from, const uint8_t *random) {
    return from + modular_laplace(*m.table.sorted_points->noise, random);
}

bool is_sound(const sotto_metric &m) {
    const sotto_sorted_points *table = m.table.sorted_points;
    return m.type == SOTTO_TYPE_VECTOR && m.level_count == 1 && m.forward_count == 0 &&
           table != nullptr && table->length >= 1 && table->length <= SOTTO_COORDINATES_MAX &&
           m.value_words == table->length && table->min < table->max &&
           table->min >= -SOTTO_NUMBER_MAX && table->max <= SOTTO_NUMBER_MAX &&
           is_row_noise(table->noise);
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_sorted_points = {SOTTO_MECHANISM_SORTED_POINTS,
                                             sotto::shown::numbers,
                                             sotto::steps::none,
                                             0,
                                             sotto::size,
                                             sotto::encode,
                                             sotto::level_bytes,
                                             sotto::draw,
                                             nullptr, // published
                                             nullptr, // strings
                                             nullptr, // reports
                                             sotto::is_sound};
