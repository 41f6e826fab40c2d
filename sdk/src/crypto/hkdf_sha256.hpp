// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_HKDF_SHA256_HPP
#define SOTTO_CRYPTO_HKDF_SHA256_HPP

#include "crypto/hash.hpp"

namespace sotto::crypto {

// The parts of an input, one behind the other.
struct byte_list {
    const bytes *parts;
    size_t count; // at most byte_list_max
};
inline constexpr size_t byte_list_max = 6;

// HMAC-SHA256 (RFC 2104). Time depends on the sizes only. Errors: CRYPTO, and tag is zeroed;
// ARGUMENT for more parts than byte_list_max.
sotto_status hmac_sha256(bytes key, byte_list text, uint8_t tag[digest_bytes]);

// HKDF-Extract with SHA-256 (RFC 5869, 2.2). Errors: as above.
sotto_status hkdf_extract(bytes salt, byte_list keying_material, uint8_t key[digest_bytes]);

// HKDF-Expand with SHA-256 (RFC 5869, 2.3): up to 255 * 32 bytes. `info` may have two parts less.
// Errors: as above, out is zeroed then.
sotto_status hkdf_expand(const uint8_t key[digest_bytes], byte_list info, uint8_t *out,
                         size_t length_bytes);

} // namespace sotto::crypto
#endif
