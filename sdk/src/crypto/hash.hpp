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

// SHA-256 piece by piece; wipes what it worked with when it goes. Time depends on the sizes only.
class hasher {
  public:
    hasher();
    hasher(const hasher &) = delete;
    hasher &operator=(const hasher &) = delete;
    ~hasher();

    void add(const void *data, size_t size_bytes);
    // Once. Errors: CRYPTO, and the digest is zeroed.
    sotto_status finish(uint8_t digest[digest_bytes]);

  private:
    alignas(8) uint8_t context_[112];
    bool failed_;
};

// SHA-256 of the parts one behind the other. Time depends on the sizes only. Errors: CRYPTO, and
// the digest is zeroed.
sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]);

} // namespace sotto::crypto
#endif
