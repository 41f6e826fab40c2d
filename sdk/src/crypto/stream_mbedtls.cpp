// SPDX-License-Identifier: Apache-2.0
#include "crypto/stream.hpp"

#include "crypto/wipe.hpp"

#include <mbedtls/chacha20.h>

namespace sotto::crypto {
namespace {

mbedtls_chacha20_context *state_of(uint64_t *context) {
    return reinterpret_cast<mbedtls_chacha20_context *>(context);
}

} // namespace

void stream::start(const uint8_t key[key_bytes], const uint8_t nonce[12], uint32_t counter) {
    static_assert(sizeof(mbedtls_chacha20_context) <= sizeof context_);
    mbedtls_chacha20_init(state_of(context_));
    ready_ = mbedtls_chacha20_setkey(state_of(context_), key) == 0 &&
             mbedtls_chacha20_starts(state_of(context_), nonce, counter) == 0;
}

stream::~stream() { mbedtls_chacha20_free(state_of(context_)); }

sotto_status stream::read(uint8_t *bytes, size_t length_bytes) {
    for (size_t i = 0; i < length_bytes; ++i) {
        bytes[i] = 0;
    }
    if (ready_ && mbedtls_chacha20_update(state_of(context_), length_bytes, bytes, bytes) == 0) {
        return SOTTO_OK;
    }
    wipe(bytes, length_bytes);
    return SOTTO_ERR_CRYPTO;
}

} // namespace sotto::crypto
