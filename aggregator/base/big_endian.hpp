// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_BIG_ENDIAN_HPP
#define SOTTO_AGGREGATOR_BASE_BIG_ENDIAN_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sotto::aggregator {

// Between this machine's order and big-endian; one instruction, which a loop over bytes does not
// reliably become.
template <std::unsigned_integral T> T swapped(T value) {
    if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) {
        return value;
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bswap16(value);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bswap32(value);
    } else {
        return __builtin_bswap64(value);
    }
}

// Writes sizeof(T) bytes; any alignment will do.
template <std::unsigned_integral T> void put_big_endian(std::uint8_t *bytes, T value) {
    value = swapped(value);
    std::memcpy(bytes, &value, sizeof value);
}

// Reads sizeof(T) bytes; any alignment will do.
template <std::unsigned_integral T> T get_big_endian(const std::uint8_t *bytes) {
    T value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return swapped(value);
}

} // namespace sotto::aggregator
#endif
