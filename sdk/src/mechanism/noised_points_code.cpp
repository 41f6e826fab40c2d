// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/noised_points.hpp"
#include "mechanism/table_check.hpp"
#include "random/modular_laplace.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &) { return 0; }

// Adds all points to the rows, which begin as their noise.
uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const sotto_noised_points &table = *m.table.noised_points;
    const auto *point = static_cast<const int32_t *>(value.value);
    uint32_t changed = 0;
    for (size_t i = 0; i < value.count; ++i) {
        changed |= add_point(table, point, words);
        point += table.axes;
    }
    return changed * SOTTO_VALUE_CLAMPED;
}

size_t level_bytes(const sotto_metric &m, uint32_t) {
    return modular_laplace_bytes(*m.table.noised_points->noise);
}

uint32_t draw(const sotto_metric &m, uint32_t, uint32_t, uint32_t from, const uint8_t *random) {
    return from + modular_laplace(*m.table.noised_points->noise, random);
}

bool are_classes(const sotto_noised_points &table) {
    if (table.classes == nullptr || table.class_count == 0 ||
        table.class_count > SOTTO_SUM_CLASSES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < table.class_count; ++i) {
        const sotto_place_class &some = table.classes[i];
        if (some.rows == 0 || some.rows > SOTTO_SUM_ROWS_MAX || some.lines == 0 ||
            some.lines > SOTTO_SUM_ROWS_MAX || (table.axes == 1 && some.lines != 1) ||
            some.step == 0 || some.length == 0 || some.half == 0 || some.half > some.length ||
            some.weight == 0) {
            return false;
        }
    }
    return row_count(table) <= SOTTO_SUM_ROWS_MAX;
}

// A type says how many numbers its points have.
bool are_axes(const sotto_metric &m, uint32_t axes) {
    return m.type == SOTTO_TYPE_HISTOGRAM ? axes == 1 : m.type == SOTTO_TYPE_LOCATION && axes == 2;
}

bool is_sound(const sotto_metric &m) {
    const sotto_noised_points *table = m.table.noised_points;
    return m.level_count == 1 && m.forward_count == 0 && table != nullptr &&
           are_axes(m, table->axes) && table->places >= 2 && are_classes(*table) &&
           m.value_words == row_count(*table) && is_row_noise(table->noise);
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_noised_points = {SOTTO_MECHANISM_NOISED_POINTS,
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
