/* SPDX-License-Identifier: Apache-2.0 */
/* PSA Certified Crypto API 1.0, "Random number generation". */
#include "sotto_psa.h"

#include <psa/crypto.h>

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    return psa_generate_random(bytes, length_bytes) == PSA_SUCCESS ? (int32_t)length_bytes
                                                                   : SOTTO_ERR_ENTROPY_FAILED;
}

const sotto_entropy sotto_psa_entropy = {.read = take, .source = SOTTO_SOURCE_CSPRNG};
