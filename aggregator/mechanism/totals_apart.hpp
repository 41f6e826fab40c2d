// SPDX-License-Identifier: Apache-2.0
// Noises that two running totals of a counter do not share.
#ifndef SOTTO_AGGREGATOR_MECHANISM_TOTALS_APART_HPP
#define SOTTO_AGGREGATOR_MECHANISM_TOTALS_APART_HPP

#include "aggregator/mechanism/sums_over_time.hpp"

namespace sotto::aggregator {

// Rows of the totals of so many epochs since a block began, those of both left out. The strategy is
// balanced, with digits of an odd base.
std::uint32_t rows_apart(std::uint32_t a, std::uint32_t b, std::uint32_t base);

// Noises of the running total of an epoch less that of an earlier one, both in one block.
std::uint32_t noises_between(const sums_over_time &sums, std::uint32_t before, std::uint32_t epoch);

} // namespace sotto::aggregator
#endif
