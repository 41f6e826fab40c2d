// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_BINS_HPP
#define SOTTO_MECHANISM_BINS_HPP

#include "mechanism/table_check.hpp"

#include <stdint.h>

namespace sotto {

// The numbers of a range in bins that are as wide as can be: each has `step` of them, and `rest`
// bins one more.
struct equal_bins {
    uint32_t bins, rest, step;
};

// The bin of a number, counted from the first of the range: floor(number * bins / (bins * step +
// rest)). Pure; fixed time for every number.
uint32_t bin_of(const equal_bins &by, uint32_t number);

// Are the numbers min ... max divided so? In 64 bits, where a wrong step can't wrap around.
inline bool divide(const equal_bins &by, int32_t min, int32_t max) {
    return min >= -SOTTO_NUMBER_MAX && max <= SOTTO_NUMBER_MAX && min < max && by.bins >= 2 &&
           by.bins <= SOTTO_BINS_MAX && by.step >= 1 && by.rest < by.bins &&
           uint64_t{by.step} * by.bins + by.rest ==
               uint64_t{static_cast<uint32_t>(max) - static_cast<uint32_t>(min)} + 1;
}

} // namespace sotto
#endif
