// SPDX-License-Identifier: Apache-2.0
#include "crypto/aead.hpp"

#include "crypto/psa_result.hpp"
#include "crypto/wipe.hpp"

namespace sotto::crypto {

sotto_status chacha20_poly1305_seal(const uint8_t key[aead_key_bytes],
                                    const uint8_t nonce[aead_nonce_bytes], bytes associated,
                                    uint8_t *text, size_t length_bytes) {
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_ENCRYPT);
    psa_set_key_algorithm(&attributes, PSA_ALG_CHACHA20_POLY1305);
    psa_set_key_type(&attributes, PSA_KEY_TYPE_CHACHA20);
    psa_key_id_t imported = PSA_KEY_ID_NULL;
    psa_status_t status = psa_import_key(&attributes, key, aead_key_bytes, &imported);
    size_t length = 0;
    if (status == PSA_SUCCESS) {
        status = psa_aead_encrypt(imported, PSA_ALG_CHACHA20_POLY1305, nonce, aead_nonce_bytes,
                                  static_cast<const uint8_t *>(associated.data), associated.size,
                                  text, length_bytes, text, length_bytes + aead_tag_bytes, &length);
    }
    const psa_status_t destroyed = psa_destroy_key(imported);
    if (status != PSA_SUCCESS || destroyed != PSA_SUCCESS ||
        length != length_bytes + aead_tag_bytes) {
        wipe(text, length_bytes + aead_tag_bytes);
        return status == PSA_SUCCESS ? sotto_status{SOTTO_ERR_CRYPTO}
                                     : psa_result(status, SOTTO_ERR_NO_CHACHA20_POLY1305);
    }
    return SOTTO_OK;
}

} // namespace sotto::crypto
