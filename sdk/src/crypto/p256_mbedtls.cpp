// SPDX-License-Identifier: Apache-2.0
#include "crypto/p256.hpp"

#include <mbedtls/build_info.h> // the name that our build gives it

// p256-m's, as p256-m.h declares it. It needs no heap: 32-bit limbs on the stack.
extern "C" int p256_ecdsa_verify(const uint8_t signature[64], const uint8_t key[64],
                                 const uint8_t *digest, size_t digest_length);

namespace sotto::crypto {

bool p256_verify(const uint8_t key[p256_key_bytes], const uint8_t digest[digest_bytes],
                 const uint8_t signature[p256_signature_bytes]) {
    return p256_ecdsa_verify(signature, key, digest, digest_bytes) == 0;
}

} // namespace sotto::crypto

// Other functions of p256-m, which nobody here calls, draw randomness by a name that our build of
// it turns into this one: they would fail.
extern "C" int32_t sotto_p256_no_random(uint8_t *, size_t) { return -1; }
