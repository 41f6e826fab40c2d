// SPDX-License-Identifier: Apache-2.0
#include "mechanism/noised_points.hpp"

#include "random/fixed_time.hpp"

namespace sotto {
namespace {

// Is an offset from 0 to length - 1? Both are below 2^30 in size, so that a sign tells it.
mask lies_within(uint32_t offset, uint32_t length) {
    return mask_of_bit((~offset & (offset - length)) >> 31);
}

} // namespace

uint32_t row_count(const sotto_noised_points &table) {
    const sotto_place_class *some = table.classes;
    uint32_t count = 0;
    for (uint32_t i = table.class_count; i > 0; --i) {
        count += uint32_t{some->rows} * some->lines;
        ++some;
    }
    return count;
}

uint32_t add_point(const sotto_noised_points &table, const int32_t *point, uint32_t *rows) {
    uint32_t place[2] = {0, 0}, changed = 0;
    for (uint32_t axis = table.axes; axis-- > 0;) {
        const auto number = static_cast<uint32_t>(point[axis]);
        place[1] = place[0];
        place[0] = clamp_signed(number, 0, table.places - 1u);
        changed |= place[0] ^ number;
    }
    const sotto_place_class *some = table.classes;
    for (uint32_t i = table.class_count; i > 0; --i) {
        // From the begin of a row: beyond its length where the point lies outside.
        uint32_t down = place[1] + some->shift;
        for (uint32_t line = some->lines; line > 0; --line) {
            const uint32_t weight = some->weight & lies_within(down, some->length);
            uint32_t along = place[0] + some->shift;
            for (uint32_t row = some->rows; row > 0; --row) {
                const uint32_t amount = negate_if(~lies_within(along, some->half), weight);
                *rows++ += amount & lies_within(along, some->length);
                along -= some->step;
            }
            down -= some->step;
        }
        ++some;
    }
    return ~is_zero(changed) & 1;
}

} // namespace sotto
