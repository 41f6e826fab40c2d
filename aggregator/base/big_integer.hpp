// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_BIG_INTEGER_HPP
#define SOTTO_AGGREGATOR_BASE_BIG_INTEGER_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// The value of a text of decimal digits, in limbs of 32 bits, low first, without zeros at the top.
// Numbers in metrics.json have hundreds of bits, more than any type here.
std::vector<std::uint32_t> big_integer(std::string_view digits);

// The digits again.
std::string decimal_text(std::vector<std::uint32_t> limbs);

// How many bits it takes; 0 for zero.
std::size_t bit_length(const std::vector<std::uint32_t> &limbs);

// The double nearest to limbs / 2^bits. For results in the normal range of a double.
double scaled_down(const std::vector<std::uint32_t> &limbs, std::uint32_t bits);

} // namespace sotto::aggregator
#endif
