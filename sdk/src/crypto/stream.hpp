// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_STREAM_HPP
#define SOTTO_CRYPTO_STREAM_HPP

#include "sotto/status.h"

#include <mbedtls/chacha20.h>
#include <stddef.h>
#include <stdint.h>

namespace sotto::crypto {

inline constexpr size_t stream_key_bytes = 32;

// What a stream is for: the first eight bytes of its nonce.
enum class purpose { ladder, instantaneous, permanent, tag };

// The ChaCha20 key stream (RFC 8439) of a key, a purpose and a level: the same bytes whenever it is
// asked again. Nonce: the purpose's eight letters and the level, big-endian; counter from zero.
// Time depends on the sizes only. Errors: CRYPTO, bytes then zeroed.
class stream {
  public:
    stream(const uint8_t key[stream_key_bytes], purpose what_for, uint32_t level);
    stream(const stream &) = delete;
    stream &operator=(const stream &) = delete;
    ~stream();

    sotto_status read(uint8_t *bytes, size_t length_bytes);

  private:
    mbedtls_chacha20_context context_;
    bool ready_;
};

} // namespace sotto::crypto
#endif
