// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_WINDOWS_HPP
#define SOTTO_MECHANISM_WINDOWS_HPP

#include "mechanism/mix.hpp"
#include "mechanism/table_check.hpp"

namespace sotto {

// Mechanisms of windows share this: bin i of `bins` is supported by i ... i + 2 half. A table has
// both, and `keep` by level.
template <typename Table> uint32_t answers(const Table &table) {
    return table.bins + 2u * table.half;
}

inline bool is_top(const sotto_metric &m, uint32_t level) { return level + 1u == m.level_count; }

inline size_t window_bytes(const sotto_metric &m, uint32_t level) {
    return is_top(m, level) ? mix_bytes + uniform_bytes : mix_bytes;
}

// Takes mix_bytes, and uniform_bytes for the place in the window.
template <typename Table>
uint32_t fresh_answer(const Table &table, const sotto_threshold &keep, uint32_t bin,
                      const uint8_t *random) {
    const uint32_t place = uniform_below(2u * table.half + 1, random + mix_bytes);
    return mix(keep, bin + place, answers(table), random);
}

template <typename Table>
uint32_t draw_answer(const Table &table, const sotto_metric &m, uint32_t level, uint32_t from,
                     const uint8_t *random) {
    const sotto_threshold &keep = table.keep[level];
    return is_top(m, level) ? fresh_answer(table, keep, from, random)
                            : mix(keep, from, answers(table), random);
}

template <typename Table> bool are_sound_windows(const Table &table, const sotto_metric &m) {
    if (table.half > table.bins) {
        return false;
    }
    for (uint8_t i = 0; i < m.level_count; ++i) {
        if (is_zero(table.keep[i])) {
            return false;
        }
    }
    return leaves_noise(table.keep[m.level_count - 1], 64) && m.value_words == 1;
}

} // namespace sotto
#endif
