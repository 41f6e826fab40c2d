// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_BIT_KERNEL_HPP
#define SOTTO_AGGREGATOR_TALLY_BIT_KERNEL_HPP

#include <cstdint>

namespace sotto::aggregator {

// Instructions that count rows of bits; all count the same.
enum class bit_kernel : std::uint8_t { portable, avx2, avx512 };
bool is_supported(bit_kernel kernel); // by this machine
bit_kernel fastest_kernel();

} // namespace sotto::aggregator
#endif
