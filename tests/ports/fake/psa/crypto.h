/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the PSA Crypto API as the port uses. */
#include <stddef.h>
#include <stdint.h>
typedef int32_t psa_status_t;
#define PSA_SUCCESS ((psa_status_t)0)
#define PSA_ERROR_INSUFFICIENT_ENTROPY ((psa_status_t)-148)
psa_status_t psa_generate_random(uint8_t *output, size_t output_size);
