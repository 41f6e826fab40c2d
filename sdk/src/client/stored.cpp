// SPDX-License-Identifier: Apache-2.0
#include "client/stored.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

namespace sotto::device {
namespace {

constexpr uint8_t secret_format[4] = {'s', 't', 'k', 1};

// CRC-32 as Ethernet has it (IEEE 802.3): what has to be found is a store that was cut, not an
// enemy. Without a table: addresses must not depend on what is noised or secret.
uint32_t crc_of(uint32_t crc, const uint8_t *bytes, size_t size) {
    crc = ~crc;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
        }
    }
    return ~crc;
}

uint32_t secret_crc(const uint8_t *bytes) { return crc_of(0, bytes, 36); }

} // namespace

uint32_t state_crc(const uint8_t *bytes, size_t size) {
    const uint32_t head = crc_of(0, bytes, offsetof(sotto_state_head, crc));
    return crc_of(head, bytes + sizeof(sotto_state_head), size - sizeof(sotto_state_head));
}

bool is_whole_state(const sotto_state_head &head, const uint8_t *bytes, size_t size) {
    return size >= sizeof head && size % 4 == 0 && head.format == state_format &&
           head.words == size / 4 && head.crc == state_crc(bytes, size);
}

void stored_secret::write(const uint8_t secret[32]) {
    for (size_t i = 0; i < 4; ++i) {
        bytes[i] = secret_format[i];
    }
    for (size_t i = 0; i < 32; ++i) {
        bytes[4 + i] = secret[i];
    }
    const uint32_t crc = secret_crc(bytes);
    for (size_t i = 0; i < 4; ++i) {
        bytes[36 + i] = static_cast<uint8_t>(crc >> (8 * i));
    }
}

bool stored_secret::read(size_t size, uint8_t secret[32]) const {
    uint32_t difference = load32(bytes + 36) ^ secret_crc(bytes);
    for (size_t i = 0; i < 4; ++i) {
        difference |= static_cast<uint32_t>(bytes[i] ^ secret_format[i]);
    }
    if (size != sizeof bytes || difference != 0) {
        return false;
    }
    for (size_t i = 0; i < 32; ++i) {
        secret[i] = bytes[4 + i];
    }
    return true;
}

void stored_secret::wipe() { crypto::wipe(bytes, sizeof bytes); }

} // namespace sotto::device
