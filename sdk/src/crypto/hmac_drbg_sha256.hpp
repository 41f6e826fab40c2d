// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_HMAC_DRBG_SHA256_HPP
#define SOTTO_CRYPTO_HMAC_DRBG_SHA256_HPP

#include "crypto/hkdf_sha256.hpp"

namespace sotto::crypto {

// HMAC_DRBG with SHA-256 (NIST SP 800-90A, 10.1.2), for backends whose own generator can't be
// seeded by the caller. All members are secret. Errors of each function: CRYPTO; nothing
// may be asked of it then but instantiate(), since its key may be known.
struct hmac_drbg {
    uint8_t key[digest_bytes];
    uint8_t value[digest_bytes];

    // `seed`: entropy, nonce and personalization; at most four parts.
    sotto_status instantiate(byte_list seed);
    sotto_status reseed(byte_list entropy) { return update(entropy); }
    // Out is wiped on failure.
    sotto_status generate(uint8_t *out, size_t length_bytes);

  private:
    sotto_status update(byte_list provided);
    sotto_status step(uint8_t separator, byte_list provided);
};

} // namespace sotto::crypto
#endif
