// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_LITTLE_ENDIAN_HPP
#define SOTTO_AGGREGATOR_BASE_LITTLE_ENDIAN_HPP

#include <cstdint>

namespace sotto::aggregator {

// Protobuf's order of a fixed32; compilers make one load of it.
inline std::uint32_t get_little_endian(const std::uint8_t *bytes) {
    return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
           std::uint32_t{bytes[3]} << 24;
}

} // namespace sotto::aggregator
#endif
