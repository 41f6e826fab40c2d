// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_X25519_HPP
#define SOTTO_CRYPTO_X25519_HPP

#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto::crypto {

inline constexpr size_t x25519_bytes = 32;

// A scalar times this point is its public key.
inline constexpr uint8_t x25519_base[x25519_bytes] = {9};

// X25519 (RFC 7748, 5): the scalar, clamped, times the point. Fixed time. Errors: CRYPTO, also
// when the result is all zero, as that of a point of small order is; out is zeroed then.
sotto_status x25519(const uint8_t scalar[x25519_bytes], const uint8_t point[x25519_bytes],
                    uint8_t out[x25519_bytes]);

} // namespace sotto::crypto
#endif
