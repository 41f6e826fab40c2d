// SPDX-License-Identifier: Apache-2.0
#include "crypto/probe.hpp"

#include "crypto/aead.hpp"
#include "crypto/p256_psa.hpp"
#include "crypto/psa_result.hpp"
#include "crypto/x25519.hpp"

namespace sotto::crypto {
namespace {

sotto_status probe_sealing() {
    static const uint8_t scalar[x25519_bytes] = {8}, base[x25519_bytes] = {9};
    uint8_t out[x25519_bytes], text[aead_tag_bytes];
    const sotto_status status = x25519(scalar, base, out);
    return status != SOTTO_OK ? status : chacha20_poly1305_seal(scalar, base, {}, text, 0);
}

sotto_status probe_requests(const uint8_t *key) {
    psa_key_id_t imported = PSA_KEY_ID_NULL;
    const psa_status_t status = import_p256(key, &imported);
    (void)psa_destroy_key(imported);
    return psa_result(status, SOTTO_ERR_NO_P256);
}

} // namespace

sotto_status probe(bool seals, const uint8_t *request_key) {
    const sotto_status status = seals ? probe_sealing() : sotto_status{SOTTO_OK};
    return status != SOTTO_OK || request_key == nullptr ? status : probe_requests(request_key);
}

} // namespace sotto::crypto
