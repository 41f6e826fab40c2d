// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_VECTOR_KERNEL_HPP
#define SOTTO_AGGREGATOR_BASE_VECTOR_KERNEL_HPP

#include <cstdint>

namespace sotto::aggregator {

// Instructions for many numbers at once; the answers are the same.
enum class vector_kernel : std::uint8_t { portable, avx2, avx512 };
bool is_supported(vector_kernel kernel); // by this machine
vector_kernel fastest_kernel();

} // namespace sotto::aggregator
#endif
