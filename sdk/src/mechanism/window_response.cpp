// SPDX-License-Identifier: Apache-2.0
#include "mechanism/window_response.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

// Counts the bins that begin at or below the number: every beginning is asked, so that time tells
// none. They are ceil(i * span / bins), one after the other, without a product that is too wide.
uint32_t bin_of(const sotto_window_response &table, uint32_t value) {
    const uint32_t number = value - static_cast<uint32_t>(table.min);
    uint32_t bin = 0, begin = 0, rest = table.bins - 1u;
    for (uint32_t i = 1; i < table.bins; ++i) {
        begin += table.step;
        rest += table.rest;
        if (rest >= table.bins) { // public, as all of the table
            rest -= table.bins;
            ++begin;
        }
        bin += less(number, begin) + 1;
    }
    return bin;
}

} // namespace sotto
