// SPDX-License-Identifier: Apache-2.0
#include "mechanism/noised_points.hpp"

#include "random/fixed_time.hpp"

namespace sotto {
namespace {

// From the begin of a row; beyond its length where the point lies outside.
uint32_t offset_in(const sotto_place_class &rows, uint32_t row, uint32_t place) {
    return place + rows.shift - row * rows.step;
}

uint32_t *add_to_line(const sotto_place_class &rows, uint32_t place, mask in_line, uint32_t *sum) {
    for (uint32_t row = 0; row < rows.rows; ++row) {
        const uint32_t offset = offset_in(rows, row, place);
        const uint32_t amount = negate_if(~less(offset, rows.half), rows.weight);
        *sum++ += amount & in_line & less(offset, rows.length);
    }
    return sum;
}

} // namespace

uint32_t row_count(const sotto_noised_points &table) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < table.class_count; ++i) {
        count += uint32_t{table.classes[i].rows} * table.classes[i].lines;
    }
    return count;
}

uint32_t add_point(const sotto_noised_points &table, const int32_t *point, uint32_t *rows) {
    uint32_t place[2] = {}, changed = 0;
    for (uint32_t axis = 0; axis < table.axes; ++axis) {
        const auto number = static_cast<uint32_t>(point[axis]);
        place[axis] = clamp_signed(number, 0, table.places - 1u);
        changed |= place[axis] ^ number;
    }
    for (uint32_t i = 0; i < table.class_count; ++i) {
        const sotto_place_class &some = table.classes[i];
        for (uint32_t line = 0; line < some.lines; ++line) {
            const mask in_line = less(offset_in(some, line, place[1]), some.length);
            rows = add_to_line(some, place[0], in_line, rows);
        }
    }
    return ~is_zero(changed) & 1;
}

} // namespace sotto
