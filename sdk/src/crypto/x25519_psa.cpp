// SPDX-License-Identifier: Apache-2.0
#include "crypto/x25519.hpp"

#include "crypto/psa_result.hpp"
#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

namespace sotto::crypto {

sotto_status x25519(const uint8_t scalar[x25519_bytes], const uint8_t point[x25519_bytes],
                    uint8_t out[x25519_bytes]) {
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_DERIVE);
    psa_set_key_algorithm(&attributes, PSA_ALG_ECDH);
    psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY));
    psa_key_id_t imported = PSA_KEY_ID_NULL;
    psa_status_t status = psa_import_key(&attributes, scalar, x25519_bytes, &imported);
    size_t length = 0;
    if (status == PSA_SUCCESS) {
        status = psa_raw_key_agreement(PSA_ALG_ECDH, imported, point, x25519_bytes, out,
                                       x25519_bytes, &length);
    }
    const psa_status_t destroyed = psa_destroy_key(imported);
    uint32_t any = 0;
    for (size_t i = 0; i < x25519_bytes && status == PSA_SUCCESS; ++i) {
        any |= out[i];
    }
    if (status != PSA_SUCCESS || destroyed != PSA_SUCCESS || length != x25519_bytes ||
        declassified(is_zero(any)) != 0) {
        wipe(out, x25519_bytes);
        return status == PSA_SUCCESS ? sotto_status{SOTTO_ERR_CRYPTO}
                                     : psa_result(status, SOTTO_ERR_NO_X25519);
    }
    return SOTTO_OK;
}

} // namespace sotto::crypto
