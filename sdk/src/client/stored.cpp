// SPDX-License-Identifier: Apache-2.0
#include "client/stored.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

namespace sotto::device {
namespace {

constexpr uint8_t secret_format[4] = {'s', 't', 'k', 1};

uint32_t rotated(uint32_t x, int by) { return x << by | x >> (32 - by); }

} // namespace

uint32_t checksum_of(const uint8_t *bytes, size_t size) {
    uint32_t sum = 0;
    for (size_t at = 0; at < size; at += 4) {
        sum ^= rotated(load32(bytes + at) * 0xcc9e2d51u, 15) * 0x1b873593u;
        sum = rotated(sum, 13) * 5 + 0xe6546b64u;
    }
    sum ^= static_cast<uint32_t>(size);
    sum = (sum ^ sum >> 16) * 0x85ebca6bu;
    sum = (sum ^ sum >> 13) * 0xc2b2ae35u;
    return sum ^ sum >> 16;
}

bool is_whole_state(const sotto_state_head &head, const uint8_t *bytes, size_t size) {
    return size >= sizeof head && size % 4 == 0 && head.format == state_format &&
           head.checksum == state_checksum(bytes, size);
}

void stored_secret::write(const uint8_t secret[32]) {
    for (size_t i = 0; i < 4; ++i) {
        bytes[4 + i] = secret_format[i];
    }
    for (size_t i = 0; i < 32; ++i) {
        bytes[8 + i] = secret[i];
    }
    const uint32_t sum = checksum_of(bytes + 4, 36);
    for (size_t i = 0; i < 4; ++i) {
        bytes[i] = static_cast<uint8_t>(sum >> (8 * i));
    }
}

bool stored_secret::read(size_t size, uint8_t secret[32]) const {
    uint32_t difference = load32(bytes) ^ checksum_of(bytes + 4, 36);
    for (size_t i = 0; i < 4; ++i) {
        difference |= static_cast<uint32_t>(bytes[4 + i] ^ secret_format[i]);
    }
    if (size != sizeof bytes || difference != 0) {
        return false;
    }
    for (size_t i = 0; i < 32; ++i) {
        secret[i] = bytes[8 + i];
    }
    return true;
}

void stored_secret::wipe() { crypto::wipe(bytes, sizeof bytes); }

} // namespace sotto::device
