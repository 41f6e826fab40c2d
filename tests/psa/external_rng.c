/* SPDX-License-Identifier: Apache-2.0 */
/* PSA's randomness to blind its curve in these tests. Sotto never asks it for anything. */
#include <psa/crypto.h>

psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *context,
                                             uint8_t *output, size_t output_size,
                                             size_t *output_length) {
    static uint32_t state = 1;
    (void)context;
    for (size_t i = 0; i < output_size; ++i) {
        state = state * 1664525u + 1013904223u;
        output[i] = (uint8_t)(state >> 24);
    }
    *output_length = output_size;
    return PSA_SUCCESS;
}
