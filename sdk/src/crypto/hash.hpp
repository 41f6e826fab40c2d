// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_HASH_HPP
#define SOTTO_CRYPTO_HASH_HPP

#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto::crypto {

inline constexpr size_t digest_bytes = 32;

struct bytes {
    const void *data;
    size_t size;
};

// SHA-256 of the parts one behind the other, and HMAC-SHA256 of them (RFC 2104). Time depends on
// the sizes only. Errors: CRYPTO, and the digest is zeroed.
sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]);
sotto_status hmac_sha256(const uint8_t key[digest_bytes], const bytes *parts, size_t count,
                         uint8_t digest[digest_bytes]);

} // namespace sotto::crypto
#endif
