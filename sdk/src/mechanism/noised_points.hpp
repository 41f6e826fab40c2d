// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_NOISED_POINTS_HPP
#define SOTTO_MECHANISM_NOISED_POINTS_HPP

#include "sotto/registry.h"

#include <stdint.h>

namespace sotto {

// Rows over places: y = Ax + V modulo 2^32. A row counts the points of some places; the strategies
// differ by their tables alone. Points and rows are secret, tables are public.

// All rows of all classes.
uint32_t row_count(const sotto_noised_points &table);

// Adds a point of table.axes numbers to the rows, and touches every row. Returns 1 if a number lay
// outside, and was clamped. Fixed time.
uint32_t add_point(const sotto_noised_points &table, const int32_t *point, uint32_t *rows);

} // namespace sotto
#endif
