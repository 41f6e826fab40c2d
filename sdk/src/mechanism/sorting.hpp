// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_SORTING_HPP
#define SOTTO_MECHANISM_SORTING_HPP

#include "random/fixed_time.hpp"

#include <stdint.h>

namespace sotto {

// Batcher's merge exchange (Knuth, volume 3, 5.2.2, algorithm M). exchange(low, high) is called for
// pairs of indices below `count`, low < high, which depend on `count` alone. Where each call leaves
// the smaller number in `low`, all are sorted.

// The greatest power of two below `count`; 1 where there is none.
inline uint32_t first_step(uint32_t count) {
    uint32_t step = 1;
    while (step * 2 < count) {
        step *= 2;
    }
    return step;
}

// Numbers 2 * step apart are in order before it, and numbers `step` apart after it.
template <class Exchange> void merge_stage(uint32_t count, uint32_t step, Exchange exchange) {
    uint32_t distance = step, odd = 0;
    for (uint32_t width = first_step(count); width >= step; width /= 2) {
        for (uint32_t low = 0; low + distance < count; ++low) {
            if ((low & step) == odd) {
                exchange(low, low + distance);
            }
        }
        distance = width - step;
        odd = step;
    }
}

// In place, the smallest first. Fixed time and addresses.
inline void sort_signed(uint32_t *numbers, uint32_t count) {
    for (uint32_t step = first_step(count); step > 0; step /= 2) {
        merge_stage(count, step, [numbers](uint32_t low, uint32_t high) {
            const uint32_t a = numbers[low], b = numbers[high];
            const uint32_t change = (a ^ b) & less_signed(b, a);
            numbers[low] = a ^ change;
            numbers[high] = b ^ change;
        });
    }
}

} // namespace sotto
#endif
