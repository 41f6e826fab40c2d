/* SPDX-License-Identifier: Apache-2.0 */
/* PSA Certified Crypto API 1.0, "Random number generation" and "Message authentication codes". */
#include "sotto_psa.h"

#include <psa/crypto.h>

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    return psa_generate_random(bytes, length_bytes) == PSA_SUCCESS ? (int32_t)length_bytes
                                                                   : SOTTO_ERR_ENTROPY_FAILED;
}

const sotto_entropy sotto_psa_entropy = {.read = take, .source = SOTTO_SOURCE_CSPRNG};

enum { DIGEST_BYTES = 32, TAG_BYTES = 16, KEY_BITS = 256 };
static const psa_algorithm_t algorithm =
    PSA_ALG_TRUNCATED_MAC(PSA_ALG_HMAC(PSA_ALG_SHA_256), TAG_BYTES);

sotto_status sotto_psa_make_mac_key(uint32_t key_id) {
    psa_key_attributes_t wanted = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_id(&wanted, (psa_key_id_t)key_id);
    psa_set_key_lifetime(&wanted, PSA_KEY_LIFETIME_PERSISTENT);
    psa_set_key_type(&wanted, PSA_KEY_TYPE_HMAC);
    psa_set_key_bits(&wanted, KEY_BITS);
    psa_set_key_usage_flags(&wanted, PSA_KEY_USAGE_SIGN_MESSAGE);
    psa_set_key_algorithm(&wanted, algorithm);
    psa_key_id_t made;
    const psa_status_t status = psa_generate_key(&wanted, &made);
    return status == PSA_SUCCESS || status == PSA_ERROR_ALREADY_EXISTS ? SOTTO_OK
                                                                       : SOTTO_ERR_STORAGE;
}

sotto_status sotto_psa_mac(uint32_t key_id, const uint8_t *digest, uint8_t *tag) {
    size_t length = 0;
    const psa_status_t status = psa_mac_compute((psa_key_id_t)key_id, algorithm, digest,
                                                DIGEST_BYTES, tag, TAG_BYTES, &length);
    return status == PSA_SUCCESS && length == TAG_BYTES ? SOTTO_OK : SOTTO_ERR_STORAGE;
}
