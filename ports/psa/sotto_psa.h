/* SPDX-License-Identifier: Apache-2.0 */
/* psa_generate_random, of TF-M, Mbed TLS, TF-PSA-Crypto and others. */
#ifndef SOTTO_PSA_H
#define SOTTO_PSA_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The program calls psa_crypto_init() first. Errors: ENTROPY_FAILED. */
extern const sotto_entropy sotto_psa_entropy;

#ifdef __cplusplus
}
#endif
#endif
