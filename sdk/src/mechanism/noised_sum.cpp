// SPDX-License-Identifier: Apache-2.0
#include "mechanism/noised_sum.hpp"

#include "random/fixed_time.hpp"

namespace sotto {
namespace {

// Bit by bit: the smallest cores have no division, and their compilers' is a library. By 0 it is x.
uint32_t modulo(uint32_t x, uint32_t by) {
    for (uint32_t bit = 32; bit-- > 0;) {
        if (x >> bit >= by) {
            x -= by << bit;
        }
    }
    return x;
}

} // namespace

uint32_t open_row_count(const sotto_noised_sum &table) {
    const sotto_row_class *row_class = table.classes;
    uint32_t count = 0;
    for (uint32_t i = table.class_count; i > 0; --i) {
        count += row_class++->rows;
    }
    return count;
}

uint32_t way_in(const sotto_noised_sum &table, uint32_t row, uint32_t epoch) {
    const sotto_row_class *row_class = table.classes;
    for (; row >= row_class->rows; ++row_class) {
        row -= row_class->rows;
    }
    const uint32_t step = row_class->step, span = row_class->rows * step;
    uint32_t start = row * step, age = 0, length = span, weight = 1, taken = 1;
    if (table.shows == SOTTO_SHOWS_BALANCED) {
        // Nodes in the first half of their parent are added from their own middle to that of the
        // parent. Nodes in its second half are subtracted from the parent's middle to their own.
        const uint32_t half = (step - 1) / 2, middle = span + half;
        const uint32_t phase = modulo(modulo(epoch, table.block), middle + middle + 1);
        age = phase - start;
        length = middle - start;
        taken = age >= half ? 1 : 0;
        if (phase >= middle) {
            start = span + span - start;
            age = phase - middle;
            length = start + half - middle;
            taken = 3;
        }
        weight = phase - start < step ? 1 : 0;
    } else {
        age = modulo(epoch, span) - start;
        age += age >= span ? span : 0;
        if (table.shows == SOTTO_SHOWS_PAN_PRIVATE) {
            weight = row_class == table.classes ? 1 : 0;
        } else if (row_class->weight != nullptr) {
            weight = row_class->weight[span - 1 - age];
        }
    }
    if (age >= length) { // or before it opens
        return 0;
    }
    const uint32_t opens = age == 0 ? way_opens : 0, closes = age == length - 1 ? way_closes : 0;
    return way_is_open | opens | closes | taken << way_taken | weight;
}

bool is_beginning(const sotto_noised_sum &table, uint32_t epoch) {
    return table.block == 0 || modulo(epoch, table.block) == 0;
}

uint32_t total_of(uint32_t rows, const volatile uint32_t *ways, const volatile uint32_t *sums) {
    uint32_t total = 0;
    for (; rows > 0; --rows) {
        const uint32_t way = *ways++, sum = sums[way >> way_place];
        total += sum * ((way >> way_taken & 1) - (way >> way_taken & 2));
        sums += 2;
    }
    return total;
}

uint32_t clamped_amount(const sotto_noised_sum &table, uint32_t amount) {
    return clamp_signed(amount, 0, table.event);
}

void add_event(uint32_t rows, const volatile uint32_t *ways, volatile uint32_t *sums,
               uint32_t amount) {
    for (; rows > 0; --rows) {
        const uint32_t way = *ways++;
        volatile uint32_t &sum = sums[way >> way_place];
        sum = sum + (way & way_weight) * amount;
        sums += 2;
    }
}

} // namespace sotto
