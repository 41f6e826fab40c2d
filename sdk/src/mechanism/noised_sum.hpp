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

// A row's way in an epoch: 0 while it is not open. Its lowest bits are the weight by which events
// are added, below 2^16. The highest bit is the client's: it says which of two places has the sum.
inline constexpr uint32_t way_weight = 0xffff;
inline constexpr uint32_t way_taken = 16; // bits in front: two, by which a running total takes the
                                          // row, in two's complement: 1, 0 or -1
inline constexpr uint32_t way_closes = 1u << 18; // when the epoch ends
inline constexpr uint32_t way_opens = 1u << 19;  // when the epoch begins
inline constexpr uint32_t way_is_open = 1u << 20;
inline constexpr uint32_t way_place = 31; // bits in front
uint32_t way_in(const sotto_noised_sum &table, uint32_t row, uint32_t epoch);

// May rows open, whatever was before? Running totals begin with their block.
bool is_beginning(const sotto_noised_sum &table, uint32_t epoch);

// An event's amount within 0 ... event.
uint32_t clamped_amount(const sotto_noised_sum &table, uint32_t amount);

// Adds an event where the ways say. Interrupts may add while the program changes other ways.
void add_event(uint32_t rows, const volatile uint32_t *ways, volatile uint32_t *sums,
               uint32_t amount);

// The running total when the ways' epoch ends, where the table has one.
uint32_t total_of(uint32_t rows, const volatile uint32_t *ways, const volatile uint32_t *sums);

} // namespace sotto
#endif
