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

row_place closing_row(const sotto_row_class &row_class, uint32_t row, uint32_t epoch) {
    const uint32_t span = row_class.rows * row_class.step, start = row * row_class.step;
    const uint32_t phase = modulo(epoch, span);
    const uint32_t age = phase >= start ? phase - start : phase + span - start;
    const uint32_t left = span - 1 - age;
    const uint32_t weight = row_class.weight == nullptr ? uint32_t{1} : row_class.weight[left];
    return {0, age, left, weight, 0, true};
}

// Nodes in the first half of their parent are added from their own middle to that of the parent.
// Nodes in its second half are subtracted from the parent's middle to their own.
row_place balanced_row(const sotto_row_class &row_class, uint32_t row, uint32_t epoch) {
    const uint32_t half = (row_class.step - 1) / 2, middle = row_class.rows * row_class.step + half;
    const uint32_t phase = modulo(epoch, middle + middle + 1);
    const bool is_added = phase < middle;
    const uint32_t node = is_added ? row : 2u * row_class.rows - row, start = node * row_class.step;
    const uint32_t opens = is_added ? start : middle, closes = is_added ? middle : start + half;
    const bool is_inside = phase >= start && phase < start + row_class.step;
    const uint32_t added = phase >= start + half ? 1 : 0;
    return {0,
            phase - opens,
            closes - 1 - phase,
            is_inside ? uint32_t{1} : 0,
            is_added ? added : UINT32_MAX,
            phase >= opens && phase < closes};
}

row_place place_in(const sotto_noised_sum &table, const sotto_row_class &row_class, uint32_t row,
                   uint32_t epoch) {
    if (table.shows == SOTTO_SHOWS_BALANCED) {
        return balanced_row(row_class, row, modulo(epoch, table.block));
    }
    row_place place = closing_row(row_class, row, epoch);
    if (table.shows == SOTTO_SHOWS_PAN_PRIVATE) {
        place.weight = &row_class == table.classes ? 1 : 0;
        place.sign = 1;
    }
    return place;
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
    const sotto_row_class *row_class = table.classes;
    while (row >= row_class->rows) {
        row -= row_class->rows;
        ++row_class;
    }
    row_place place = place_in(table, *row_class, row, epoch);
    place.row_class = static_cast<uint32_t>(row_class - table.classes);
    return place;
}

bool is_beginning(const sotto_noised_sum &table, uint32_t epoch) {
    return table.shows == SOTTO_SHOWS_ROWS || modulo(epoch, table.block) == 0;
}

uint32_t total_of(const sotto_noised_sum &table, uint32_t epoch, const volatile uint32_t *ways,
                  const volatile uint32_t *sums) {
    uint32_t total = 0;
    const uint32_t rows = table.shows == SOTTO_SHOWS_ROWS ? 0 : open_row_count(table);
    for (uint32_t i = 0; i < rows; ++i) {
        const uint32_t way = ways[i];
        total += way == 0 ? 0 : row_in(table, i, epoch).sign * sums[2 * i + (way >> way_bit)];
    }
    return total;
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
