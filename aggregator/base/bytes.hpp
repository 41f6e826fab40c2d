// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_BYTES_HPP
#define SOTTO_AGGREGATOR_BASE_BYTES_HPP

#include <cstdint>
#include <span>
#include <string_view>

namespace sotto::aggregator {

// The same bytes, seen as the other: they last as long as their owner does.
inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}
inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace sotto::aggregator
#endif
