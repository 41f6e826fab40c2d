// SPDX-License-Identifier: Apache-2.0
// ChaCha20's block function, RFC 8439, 2.3. PSA Crypto can't start at a given block before its
// version 1.1, which Mbed TLS 3.6 is not. It would also take a key slot for every stream.
#include "crypto/stream.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

namespace sotto::crypto {
namespace {

constexpr size_t block_bytes = 64;

struct chacha20 {
    uint32_t input[16];
    uint8_t block[block_bytes];
    uint32_t used; // the block's used bytes
};

chacha20 &state_of(uint64_t *context) { return *reinterpret_cast<chacha20 *>(context); }

uint32_t rotated(uint32_t x, unsigned bits) { return x << bits | x >> (32 - bits); }

void quarter_round(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d) {
    a += b;
    d = rotated(d ^ a, 16);
    c += d;
    b = rotated(b ^ c, 12);
    a += b;
    d = rotated(d ^ a, 8);
    c += d;
    b = rotated(b ^ c, 7);
}

void next_block(chacha20 &s) {
    uint32_t x[16];
    for (size_t i = 0; i < 16; ++i) {
        x[i] = s.input[i];
    }
    for (int round = 0; round < 20; round += 2) {
        for (size_t i = 0; i < 4; ++i) {
            quarter_round(x[i], x[4 + i], x[8 + i], x[12 + i]);
        }
        for (size_t i = 0; i < 4; ++i) {
            quarter_round(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4], x[12 + (i + 3) % 4]);
        }
    }
    for (size_t i = 0; i < 16; ++i) {
        const uint32_t word = x[i] + s.input[i];
        for (size_t k = 0; k < 4; ++k) {
            s.block[4 * i + k] = static_cast<uint8_t>(word >> (8 * k));
        }
    }
    wipe(x, sizeof x);
    ++s.input[12];
    s.used = 0;
}

} // namespace

void stream::start(const uint8_t key[key_bytes], const uint8_t nonce[12], uint32_t counter) {
    static_assert(sizeof(chacha20) <= sizeof context_);
    chacha20 &s = state_of(context_);
    static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (size_t i = 0; i < 4; ++i) {
        s.input[i] = constants[i];
    }
    for (size_t i = 0; i < 8; ++i) {
        s.input[4 + i] = load32(key + 4 * i);
    }
    s.input[12] = counter;
    for (size_t i = 0; i < 3; ++i) {
        s.input[13 + i] = load32(nonce + 4 * i);
    }
    s.used = block_bytes;
    ready_ = true;
}

stream::~stream() { wipe(context_, sizeof context_); }

sotto_status stream::read(uint8_t *bytes, size_t length_bytes) {
    chacha20 &s = state_of(context_);
    for (size_t i = 0; i < length_bytes; ++i) {
        if (s.used == block_bytes) {
            next_block(s);
        }
        bytes[i] = s.block[s.used++];
    }
    return ready_ ? sotto_status{SOTTO_OK} : sotto_status{SOTTO_ERR_CRYPTO};
}

} // namespace sotto::crypto
