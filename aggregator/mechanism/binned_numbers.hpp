// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_BINNED_NUMBERS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_BINNED_NUMBERS_HPP

#include <algorithm>
#include <cstdint>

namespace sotto::aggregator {

// The integers of a range in bins that are as wide as can be: n is in bin
// floor((n - min) * bins / (max - min + 1)).
struct binned_numbers {
    std::int32_t min = 0, max = 0;
    std::uint32_t bins = 0; // 2 to SOTTO_BINS_MAX

    bool operator==(const binned_numbers &) const = default;

    std::int64_t numbers() const { return std::int64_t{max} - min + 1; }
    double lowest() const { return min; }
    double highest() const { return max; }
    // Numbers of a bin, on average.
    double unit() const { return static_cast<double>(numbers()) / bins; }
    // The least number of a bin; of `bins` itself the one above max.
    std::int64_t begin_of(std::uint32_t bin) const {
        return min + (bin * numbers() + bins - 1) / bins;
    }
    // A place among bins, from 0 to `bins`, as a number. The middle of a bin is that of its
    // numbers.
    double number_at(double place) const {
        return std::clamp(min - 0.5 + unit() * place, lowest(), highest());
    }
};

} // namespace sotto::aggregator
#endif
