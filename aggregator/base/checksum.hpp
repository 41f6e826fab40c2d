// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_CHECKSUM_HPP
#define SOTTO_AGGREGATOR_BASE_CHECKSUM_HPP

#include <cstdint>
#include <span>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sotto::aggregator {

// XXH3, 64 bits: finds damage, not malice.
inline std::uint64_t checksum(std::span<const std::uint8_t> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

// A checksum of bytes that come in pieces.
class checksum_stream {
  public:
    checksum_stream() { XXH3_64bits_reset(&state_); }
    void add(std::span<const std::uint8_t> bytes) {
        XXH3_64bits_update(&state_, bytes.data(), bytes.size());
    }
    std::uint64_t value() const { return XXH3_64bits_digest(&state_); }

  private:
    XXH3_state_t state_;
};

} // namespace sotto::aggregator
#endif
