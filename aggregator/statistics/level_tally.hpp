// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_LEVEL_TALLY_HPP
#define SOTTO_AGGREGATOR_STATISTICS_LEVEL_TALLY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace sotto::aggregator {

// Published numbers of one level: how many, their sum, and how many stand at either end of what can
// be published.
struct number_count {
    std::uint64_t reports = 0;
    std::int64_t sum = 0;
    std::uint64_t at_min = 0;
    std::uint64_t at_max = 0;

    // `number` is from publish_min to publish_max.
    void add(std::int32_t number, std::int32_t publish_min, std::int32_t publish_max) {
        ++reports;
        sum += number;
        at_min += number == publish_min ? 1 : 0;
        at_max += number == publish_max ? 1 : 0;
    }
};

// Noised sums of one kind of row and of one size. Squares are below 2^62: their halves add up
// apart.
struct row_sums {
    // Bits that a sum's distance from 0 has: 0 to 32.
    static constexpr std::size_t sizes = 33;

    std::uint64_t reports = 0;
    std::int64_t sum = 0;
    std::uint64_t squares_low = 0, squares_high = 0; // the 32-bit halves of each square, added up

    static std::size_t size_of(std::int32_t number) {
        return static_cast<std::size_t>(
            std::bit_width(static_cast<std::uint64_t>(std::abs(std::int64_t{number}))));
    }
    void add(std::int32_t number) {
        const auto square = static_cast<std::uint64_t>(std::int64_t{number} * number);
        ++reports;
        sum += number;
        squares_low += square & 0xffffffff;
        squares_high += square >> 32;
    }
    double squares() const {
        return static_cast<double>(squares_low) + 0x1p32 * static_cast<double>(squares_high);
    }
};

// All that any estimator needs of the releases that were read at one level. Members of other kinds
// of values stay empty.
struct level_tally {
    std::uint64_t reports = 0;
    std::vector<std::uint64_t> ones;    // by cohort, then by index or bit
    std::vector<std::uint64_t> cohorts; // reports by cohort, of bits and where one is named
    std::vector<number_count> numbers;  // by coordinate; a number is one
    std::vector<row_sums> rows;         // over time: by class, then by size
};

// By level. Tallies of the same metric add up, level by level and count by count.
using metric_tally = std::vector<level_tally>;

} // namespace sotto::aggregator
#endif
