// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_P256_HPP
#define SOTTO_CRYPTO_P256_HPP

#include "crypto/hash.hpp"

namespace sotto::crypto {

inline constexpr size_t p256_key_bytes = 64;       // x and y, big-endian
inline constexpr size_t p256_signature_bytes = 64; // r and s, big-endian

// Is that an ECDSA signature (FIPS 186-4, 6.4) of the SHA-256 digest by the key on P-256? False
// also for a key that is no point of the curve, or when the library refuses. All of it is public:
// time depends on it.
bool p256_verify(const uint8_t key[p256_key_bytes], const uint8_t digest[digest_bytes],
                 const uint8_t signature[p256_signature_bytes]);

} // namespace sotto::crypto
#endif
