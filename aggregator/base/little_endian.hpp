// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_LITTLE_ENDIAN_HPP
#define SOTTO_AGGREGATOR_BASE_LITTLE_ENDIAN_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sotto::aggregator {

// Protobuf's order of a fixed32 or fixed64. Reads sizeof(T) bytes; any alignment will do.
template <std::unsigned_integral T = std::uint32_t> T get_little_endian(const std::uint8_t *bytes) {
    T value = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&value, bytes, sizeof value);
    } else {
        for (std::size_t i = 0; i < sizeof value; ++i) {
            value |= static_cast<T>(T{bytes[i]} << 8 * i);
        }
    }
    return value;
}

} // namespace sotto::aggregator
#endif
