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

// SHA-256 of the parts one behind the other. Time depends on the sizes only. Errors: CRYPTO, and
// the digest is zeroed.
sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]);

// The digest of parts that come one at a time: next() gives one, or answers false behind the last.
using next_part = bool (*)(void *context, bytes *part);
sotto_status sha256(next_part next, void *context, uint8_t digest[digest_bytes]);

} // namespace sotto::crypto
#endif
