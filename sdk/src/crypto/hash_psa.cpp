// SPDX-License-Identifier: Apache-2.0
#include "crypto/hash.hpp"

#include "crypto/psa_result.hpp"
#include "crypto/wipe.hpp"

namespace sotto::crypto {

sotto_status sha256(next_part next, void *context, uint8_t digest[digest_bytes]) {
    psa_hash_operation_t operation = PSA_HASH_OPERATION_INIT;
    psa_status_t status = psa_hash_setup(&operation, PSA_ALG_SHA_256);
    for (bytes part = {}; status == PSA_SUCCESS && next(context, &part);) {
        status = psa_hash_update(&operation, static_cast<const uint8_t *>(part.data), part.size);
    }
    size_t length = 0;
    if (status == PSA_SUCCESS) {
        status = psa_hash_finish(&operation, digest, digest_bytes, &length);
    }
    if (status != PSA_SUCCESS || length != digest_bytes) {
        (void)psa_hash_abort(&operation);
        wipe(digest, digest_bytes);
        return status == PSA_SUCCESS ? sotto_status{SOTTO_ERR_CRYPTO}
                                     : psa_result(status, SOTTO_ERR_NO_SHA256);
    }
    return SOTTO_OK;
}

} // namespace sotto::crypto
