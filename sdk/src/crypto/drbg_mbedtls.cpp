// SPDX-License-Identifier: Apache-2.0
#include "crypto/drbg.hpp"

#include "crypto/library_error.hpp"
#include "crypto/wipe.hpp"

#include <mbedtls/ctr_drbg.h>

namespace sotto::crypto {

static_assert(sizeof(mbedtls_ctr_drbg_context) <= drbg_state_bytes,
              "this Mbed TLS configuration has a larger CTR_DRBG: use sdk/src/crypto's");
static_assert(alignof(mbedtls_ctr_drbg_context) <= 8);
static_assert(MBEDTLS_CTR_DRBG_KEYSIZE == 16, "AES-128 is the configuration that is certified");

static_assert(MBEDTLS_CTR_DRBG_ENTROPY_LEN == 64, "a seed is two digests of samples");

static mbedtls_ctr_drbg_context *context_of(void *state) {
    return static_cast<mbedtls_ctr_drbg_context *>(state);
}

static sotto_status result(int code) {
    keep_library_error(code);
    return code == 0 ? sotto_status{SOTTO_OK} : sotto_status{SOTTO_ERR_CRYPTO};
}

sotto_status drbg_seed(void *state, entropy_function entropy, void *context) {
    static const unsigned char label[] = "sotto device v1";
    mbedtls_ctr_drbg_init(context_of(state));
    const sotto_status status =
        result(mbedtls_ctr_drbg_seed(context_of(state), entropy, context, label, sizeof label - 1));
    if (status != SOTTO_OK) {
        drbg_wipe(state);
    }
    return status;
}

sotto_status drbg_reseed(void *state, const uint8_t *additional, size_t length_bytes) {
    return result(mbedtls_ctr_drbg_reseed(context_of(state), additional, length_bytes));
}

sotto_status drbg_generate(void *state, uint8_t *bytes, size_t length_bytes) {
    const sotto_status status = result(mbedtls_ctr_drbg_random(state, bytes, length_bytes));
    if (status != SOTTO_OK) {
        wipe(bytes, length_bytes);
    }
    return status;
}

void drbg_wipe(void *state) {
    mbedtls_ctr_drbg_free(context_of(state));
    wipe(state, drbg_state_bytes);
}

} // namespace sotto::crypto
