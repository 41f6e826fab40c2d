// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_STORED_HPP
#define SOTTO_CLIENT_STORED_HPP

#include "sotto/sotto.h"

// How state and secret look in their slots, so that what was cut, or rotted, is recognised.
namespace sotto::device {

inline constexpr uint32_t state_format = 0x04727473; // "str" and the version

inline size_t state_bytes(const sotto_memory &memory) {
    return sizeof(sotto_state_head) + size_t{4} * memory.account_words +
           memory.release_capacity * (sizeof(sotto_release) + size_t{4} * memory.words_per_release);
}
inline uint32_t release_shape(const sotto_memory &memory) {
    return static_cast<uint32_t>(memory.release_capacity) << 16 | memory.words_per_release;
}
inline uint8_t *state_data(const sotto_memory &memory) {
    return reinterpret_cast<uint8_t *>(memory.head);
}

// FNV-1a of 32 bits (Fowler, Noll, Vo): what has to be found is a store that was cut, not
// an enemy. Time and addresses depend on the size only.
uint32_t checksum_of(const uint8_t *bytes, size_t size);

// The checksum of a state of that size; the checksum itself stands before the bytes it covers.
inline uint32_t state_checksum(const uint8_t *bytes, size_t size) {
    return checksum_of(bytes + 4, size - 4);
}

// Is that a state of this format, of this size, with its checksum? `head` is how it begins.
bool is_whole_state(const sotto_state_head &head, const uint8_t *bytes, size_t size);

// The first byte that the port's MAC covers, behind checksum and MAC.
inline constexpr size_t mac_begin = 20;

struct stored_secret {
    uint8_t bytes[4 + 4 + 32]; // checksum of what follows, format, secret

    void write(const uint8_t secret[32]);
    bool read(size_t size, uint8_t secret[32]) const; // false: it is not whole
    void wipe();
};

} // namespace sotto::device
#endif
