// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_QUALITY_SUMS_HPP
#define SOTTO_AGGREGATOR_STATISTICS_QUALITY_SUMS_HPP

#include <cstdint>

namespace sotto::aggregator {

// Counts that were looked at, and what they add up to.
struct quality_sums {
    std::uint64_t counts = 0, impossible = 0;
    // Of bits of which one is true of every release: how many are one, what that should be, and its
    // variance.
    double ones = 0, expected = 0, variance = 0;

    void count(bool is_impossible) {
        ++counts;
        impossible += is_impossible ? 1 : 0;
    }
};

} // namespace sotto::aggregator
#endif
