// SPDX-License-Identifier: Apache-2.0
#include "client/stored.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

namespace sotto::device {
namespace {

constexpr uint8_t secret_format[4] = {'s', 't', 'k', 1};

constexpr uint32_t prime[5] = {2654435761u, 2246822519u, 3266489917u, 668265263u, 374761393u};

uint32_t rotated(uint32_t x, int by) { return x << by | x >> (32 - by); }

uint32_t mixed(uint32_t lane, uint32_t word) {
    return rotated(lane + word * prime[1], 13) * prime[0];
}

} // namespace

uint32_t checksum_of(const uint8_t *bytes, size_t size) {
    uint32_t lane[4] = {prime[0] + prime[1], prime[1], 0, 0u - prime[0]};
    size_t at = 0;
    for (; at + 16 <= size; at += 16) {
        for (size_t i = 0; i < 4; ++i) {
            lane[i] = mixed(lane[i], load32(bytes + at + 4 * i));
        }
    }
    uint32_t sum = prime[4];
    if (size >= 16) {
        sum =
            rotated(lane[0], 1) + rotated(lane[1], 7) + rotated(lane[2], 12) + rotated(lane[3], 18);
    }
    sum += static_cast<uint32_t>(size);
    for (; at + 4 <= size; at += 4) {
        sum = rotated(sum + load32(bytes + at) * prime[2], 17) * prime[3];
    }
    sum = (sum ^ sum >> 15) * prime[1];
    sum = (sum ^ sum >> 13) * prime[2];
    return sum ^ sum >> 16;
}

bool is_whole_state(const sotto_state_head &head, const uint8_t *bytes, size_t size) {
    return size >= sizeof head && size % 4 == 0 && head.format == state_format &&
           head.words == size / 4 && head.checksum == state_checksum(bytes, size);
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
