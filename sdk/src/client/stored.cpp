// SPDX-License-Identifier: Apache-2.0
#include "client/stored.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

namespace sotto::device {
namespace {

constexpr uint32_t secret_format = 0x026b7473; // "stk" and the version

void put32(uint8_t *target, uint32_t x) {
    for (size_t i = 0; i < 4; ++i) {
        target[i] = static_cast<uint8_t>(x >> (8 * i));
    }
}

} // namespace

uint32_t checksum_of(const uint8_t *bytes, size_t size) {
    uint32_t sum = 0x811c9dc5;
    for (size_t i = 0; i < size; ++i) {
        sum = (sum ^ bytes[i]) * 0x01000193;
    }
    return sum;
}

bool is_whole_state(const sotto_state_head &head, const uint8_t *bytes, size_t size) {
    return size >= sizeof head && size % 4 == 0 && head.format == state_format &&
           head.checksum == state_checksum(bytes, size);
}

void stored_secret::write(const uint8_t secret[32]) {
    put32(bytes + 4, secret_format);
    for (size_t i = 0; i < 32; ++i) {
        bytes[8 + i] = secret[i];
    }
    put32(bytes, checksum_of(bytes + 4, 36));
}

bool stored_secret::read(size_t size, uint8_t secret[32]) const {
    if (size != sizeof bytes || load32(bytes) != checksum_of(bytes + 4, 36) ||
        load32(bytes + 4) != secret_format) {
        return false;
    }
    for (size_t i = 0; i < 32; ++i) {
        secret[i] = bytes[8 + i];
    }
    return true;
}

void stored_secret::wipe() { crypto::wipe(bytes, sizeof bytes); }

} // namespace sotto::device
