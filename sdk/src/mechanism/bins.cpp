// SPDX-License-Identifier: Apache-2.0
#include "mechanism/bins.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

// Counts the bins that begin at or below the number: every beginning is asked, so that time tells
// none. They are ceil(i * span / bins), one after the other, without a product that is too wide.
uint32_t bin_of(const equal_bins &by, uint32_t number) {
    uint32_t bin = 0, begin = 0, rest = by.bins - 1u;
    for (uint32_t i = 1; i < by.bins; ++i) {
        begin += by.step;
        rest += by.rest;
        if (rest >= by.bins) { // public, as all of the table
            rest -= by.bins;
            ++begin;
        }
        bin += less(number, begin) + 1;
    }
    return bin;
}

} // namespace sotto
