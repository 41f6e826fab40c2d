// SPDX-License-Identifier: Apache-2.0
#include "mechanism/noised_sum.hpp"

#include "random/fixed_time.hpp"

namespace sotto {
namespace {

// Bit by bit: the smallest cores have no division, and their compilers' is a library.
uint32_t modulo(uint32_t x, uint32_t by) {
    uint32_t rest = 0;
    for (uint32_t bit = 32; bit-- > 0;) {
        rest = rest << 1 | (x >> bit & 1);
        rest -= rest >= by ? by : 0;
    }
    return rest;
}

} // namespace

uint32_t open_row_count(const sotto_noised_sum &table) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < table.class_count; ++i) {
        count += table.classes[i].rows;
    }
    return count;
}

row_place row_in(const sotto_noised_sum &table, uint32_t row, uint32_t epoch) {
    const sotto_row_class *of = table.classes;
    while (row >= of->rows) {
        row -= of->rows;
        ++of;
    }
    const uint32_t span = of->rows * of->step, start = row * of->step;
    const uint32_t phase = modulo(epoch, span);
    const uint32_t age = phase >= start ? phase - start : phase + span - start;
    const uint32_t left = span - 1 - age;
    return {static_cast<uint32_t>(of - table.classes), age, left,
            of->weight == nullptr ? uint32_t{1} : of->weight[left]};
}

uint32_t clamped_amount(const sotto_noised_sum &table, uint32_t amount) {
    return clamp_signed(amount, 0, table.event);
}

void add_event(uint32_t rows, const volatile uint32_t *ways, volatile uint32_t *sums,
               uint32_t amount) {
    for (uint32_t i = 0; i < rows; ++i) {
        const uint32_t way = ways[i];
        volatile uint32_t &sum = sums[2 * i + (way >> way_bit)];
        sum = sum + (way & 0xffff) * amount;
    }
}

} // namespace sotto
