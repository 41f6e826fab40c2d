/* SPDX-License-Identifier: Apache-2.0 */
/* psa_generate_random and a MAC's key, of TF-M, Mbed TLS, TF-PSA-Crypto and others. */
#ifndef SOTTO_PSA_H
#define SOTTO_PSA_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The program calls psa_crypto_init() first. Errors: ENTROPY_FAILED. */
extern const sotto_entropy sotto_psa_entropy;

/* Makes the key that sotto_psa_mac takes, under this identifier, where there is none: random,
 * persistent, and never to leave PSA's key store. Call it before sotto_init. A key that is lost
 * makes the state a forged one. Errors: STORAGE. */
sotto_status sotto_psa_make_mac_key(uint32_t key_id);

/* For the mac of a sotto_port: HMAC-SHA256 of digest, 32 bytes, cut to the 16 of tag. Errors:
 * STORAGE. */
sotto_status sotto_psa_mac(uint32_t key_id, const uint8_t *digest, uint8_t *tag);

#ifdef __cplusplus
}
#endif
#endif
