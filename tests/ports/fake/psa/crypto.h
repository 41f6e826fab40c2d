/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the PSA Crypto API as the port uses. */
#include <stddef.h>
#include <stdint.h>
typedef int32_t psa_status_t;
#define PSA_SUCCESS ((psa_status_t)0)
#define PSA_ERROR_INSUFFICIENT_ENTROPY ((psa_status_t)-148)
psa_status_t psa_generate_random(uint8_t *output, size_t output_size);

/* The MAC's key: tests/psa runs that over Mbed TLS, here it only has to compile and to fail. */
#define PSA_ERROR_ALREADY_EXISTS ((psa_status_t)-139)
#define PSA_ALG_HMAC(hash) (hash)
#define PSA_ALG_SHA_256 0
#define PSA_ALG_TRUNCATED_MAC(mac, length) (mac)
#define PSA_KEY_ATTRIBUTES_INIT                                                                    \
    { 0 }
#define PSA_KEY_LIFETIME_PERSISTENT 0
#define PSA_KEY_TYPE_HMAC 0
#define PSA_KEY_USAGE_SIGN_MESSAGE 0
#define psa_set_key_id(attributes, value) ((attributes)->id = (value))
#define psa_set_key_lifetime(attributes, value) (void)(attributes)
#define psa_set_key_type(attributes, value) (void)(attributes)
#define psa_set_key_bits(attributes, value) (void)(attributes)
#define psa_set_key_usage_flags(attributes, value) (void)(attributes)
#define psa_set_key_algorithm(attributes, value) (void)(attributes)
typedef uint32_t psa_algorithm_t;
typedef uint32_t psa_key_id_t;
typedef struct {
    psa_key_id_t id;
} psa_key_attributes_t;
psa_status_t psa_generate_key(const psa_key_attributes_t *attributes, psa_key_id_t *key);
psa_status_t psa_mac_compute(psa_key_id_t key, psa_algorithm_t algorithm, const uint8_t *input,
                             size_t input_length, uint8_t *mac, size_t mac_size,
                             size_t *mac_length);
