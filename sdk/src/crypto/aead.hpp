// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_AEAD_HPP
#define SOTTO_CRYPTO_AEAD_HPP

#include "crypto/hash.hpp"

namespace sotto::crypto {

inline constexpr size_t aead_key_bytes = 32;
inline constexpr size_t aead_nonce_bytes = 12;
inline constexpr size_t aead_tag_bytes = 16;

// ChaCha20-Poly1305 (RFC 8439, 2.8) in place: text[0 .. length_bytes) becomes its ciphertext and
// the aead_tag_bytes behind it, which must be there, the tag. A key and a nonce are used once.
// Time depends on the sizes only. Errors: CRYPTO, the text then wiped.
sotto_status chacha20_poly1305_seal(const uint8_t key[aead_key_bytes],
                                    const uint8_t nonce[aead_nonce_bytes], bytes associated,
                                    uint8_t *text, size_t length_bytes);

} // namespace sotto::crypto
#endif
