// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_P256_PSA_HPP
#define SOTTO_CRYPTO_P256_PSA_HPP

#include "crypto/p256.hpp"

#include <psa/crypto.h>

namespace sotto::crypto {

// Imports a public key, x and y, that verifies ECDSA over SHA-256. The caller destroys it.
psa_status_t import_p256(const uint8_t key[p256_key_bytes], psa_key_id_t *imported);

} // namespace sotto::crypto
#endif
