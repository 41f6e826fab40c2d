// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/totals_apart.hpp"

#include <cstdlib>

namespace sotto::aggregator {

// Numbers that are written with digits from -(base - 1) / 2 to (base - 1) / 2. A digit d stands for
// the next |d| rows of its level, before or behind the place that the digits above it name. So two
// numbers that differ there share no row of the level.
std::uint32_t rows_apart(std::uint32_t a, std::uint32_t b, std::uint32_t base) {
    const auto take_digit = [base](std::uint32_t &number) {
        const auto rest = static_cast<std::int64_t>(number % base);
        const std::int64_t digit = rest > base / 2 ? rest - base : rest;
        number = static_cast<std::uint32_t>((number - digit) / base);
        return digit;
    };
    std::int64_t rows = 0;
    while (a > 0 || b > 0) {
        const std::int64_t of_a = take_digit(a), of_b = take_digit(b);
        rows += a == b ? std::abs(of_a - of_b) : std::abs(of_a) + std::abs(of_b);
    }
    return static_cast<std::uint32_t>(rows);
}

// Nodes of a tree: those that only one of the epochs lies in.
std::uint32_t noises_between(const sums_over_time &sums, std::uint32_t before,
                             std::uint32_t epoch) {
    const row_class &first = sums.classes.front();
    if (first.step == 1) {
        return rows_apart(before % sums.block + 1, epoch % sums.block + 1, 2 * first.rows + 1);
    }
    std::uint32_t count = 0;
    for (const row_class &kind : sums.classes) {
        count += before / kind.step == epoch / kind.step ? 0 : 2;
    }
    return count;
}

} // namespace sotto::aggregator
