// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_NOISED_SUM_HPP
#define SOTTO_MECHANISM_NOISED_SUM_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// Rows over time: y = Ax + V modulo 2^32, each row a sum of events that began as its noise. Outputs
// and memory are functions of Ax + V alone, so that a look into the memory tells no more than the
// rows' epsilon. All of it pure; epochs, rows and weights are public, events
// and sums are not: fixed time for these.

// Rows that are open at once, of all classes: they are numbered class by class.
uint32_t open_row_count(const sotto_noised_sum &table);

// Where a row stands in an epoch.
struct row_place {
    uint32_t row_class; // index of its class
    uint32_t age;       // epochs since it opened: 0 in its first
    uint32_t left;      // epochs that it stays open afterwards: 0 in its last
    uint32_t weight;    // a unit adds this, below 2^16
    uint32_t sign;      // 1, 0 or 2^32 - 1: what a running total takes it by
    bool is_open;
};
row_place row_in(const sotto_noised_sum &table, uint32_t row, uint32_t epoch);

// May rows open, whatever was before? Running totals begin with their block.
bool is_beginning(const sotto_noised_sum &table, uint32_t epoch);

// An event's amount within 0 ... event.
uint32_t clamped_amount(const sotto_noised_sum &table, uint32_t amount);

// Events are added where the ways say. A row's way is a weight, below 2^16, while it is open, and 0
// while it is not. Its highest bit says which of two places has the row's sum. Interrupts may add
// while the program changes the other ways.
inline constexpr uint32_t way_bit = 31, way_is_open = 1u << 30;
void add_event(uint32_t rows, const volatile uint32_t *ways, volatile uint32_t *sums,
               uint32_t amount);

// The running total at the end of an epoch; 0 where the table has none.
uint32_t total_of(const sotto_noised_sum &table, uint32_t epoch, const volatile uint32_t *ways,
                  const volatile uint32_t *sums);

} // namespace sotto
#endif
