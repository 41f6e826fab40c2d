// SPDX-License-Identifier: Apache-2.0
#include "crypto/stream.hpp"

#include "crypto/wipe.hpp"

namespace sotto::crypto {
namespace {

// Their first letters, as WIRE.md spells them.
void put_nonce(uint8_t nonce[12], purpose what_for, uint32_t level) {
    static const char labels[4][9] = {"sotto-ld", "sotto-ir", "sotto-pr", "sotto-tg"};
    const char *label = labels[static_cast<unsigned>(what_for)];
    for (size_t i = 0; i < 8; ++i) {
        nonce[i] = static_cast<uint8_t>(label[i]);
    }
    for (size_t i = 0; i < 4; ++i) {
        nonce[8 + i] = static_cast<uint8_t>(level >> (24 - 8 * i));
    }
}

} // namespace

stream::stream(const uint8_t key[stream_key_bytes], purpose what_for, uint32_t level) {
    uint8_t nonce[12];
    put_nonce(nonce, what_for, level);
    mbedtls_chacha20_init(&context_);
    ready_ = mbedtls_chacha20_setkey(&context_, key) == 0 &&
             mbedtls_chacha20_starts(&context_, nonce, 0) == 0;
}

stream::~stream() { mbedtls_chacha20_free(&context_); }

sotto_status stream::read(uint8_t *bytes, size_t length_bytes) {
    wipe(bytes, length_bytes);
    if (ready_ && mbedtls_chacha20_update(&context_, length_bytes, bytes, bytes) == 0) {
        return SOTTO_OK;
    }
    wipe(bytes, length_bytes);
    return SOTTO_ERR_CRYPTO;
}

} // namespace sotto::crypto
