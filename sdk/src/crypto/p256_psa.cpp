// SPDX-License-Identifier: Apache-2.0
#include "crypto/p256_psa.hpp"

namespace sotto::crypto {

psa_status_t import_p256(const uint8_t key[p256_key_bytes], psa_key_id_t *imported) {
    uint8_t point[1 + p256_key_bytes];
    point[0] = 4; // uncompressed
    for (size_t i = 0; i < p256_key_bytes; ++i) {
        point[1 + i] = key[i];
    }
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_VERIFY_HASH);
    psa_set_key_algorithm(&attributes, PSA_ALG_ECDSA(PSA_ALG_SHA_256));
    psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_PUBLIC_KEY(PSA_ECC_FAMILY_SECP_R1));
    return psa_import_key(&attributes, point, sizeof point, imported);
}

bool p256_verify(const uint8_t key[p256_key_bytes], const uint8_t digest[digest_bytes],
                 const uint8_t signature[p256_signature_bytes]) {
    psa_key_id_t imported = PSA_KEY_ID_NULL;
    psa_status_t status = import_p256(key, &imported);
    if (status == PSA_SUCCESS) {
        status = psa_verify_hash(imported, PSA_ALG_ECDSA(PSA_ALG_SHA_256), digest, digest_bytes,
                                 signature, p256_signature_bytes);
    }
    const psa_status_t destroyed = psa_destroy_key(imported);
    return status == PSA_SUCCESS && destroyed == PSA_SUCCESS;
}

} // namespace sotto::crypto
