// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_BIG_ENDIAN_HPP
#define SOTTO_AGGREGATOR_BASE_BIG_ENDIAN_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace sotto::aggregator {

template <std::unsigned_integral T> void put_big_endian(std::uint8_t *bytes, T value) {
    for (std::size_t i = sizeof(T); i-- > 0;) {
        bytes[i] = static_cast<std::uint8_t>(value);
        value = static_cast<T>(value >> 8);
    }
}

template <std::unsigned_integral T> T get_big_endian(const std::uint8_t *bytes) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<T>(value << 8 | bytes[i]);
    }
    return value;
}

} // namespace sotto::aggregator
#endif
