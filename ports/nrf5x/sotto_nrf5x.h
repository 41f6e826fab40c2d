/* SPDX-License-Identifier: Apache-2.0 */
/* The RNG peripheral of nRF51 and nRF52, by registers. Not for use while a SoftDevice owns it. */
#ifndef SOTTO_NRF5X_H
#define SOTTO_NRF5X_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At 0x4000D000, where both families have it. Bias correction is on; each byte is waited for at
 * most a million polls (some 0.5 s at 16 MHz). Errors: ENTROPY_TIMEOUT. */
extern const sotto_entropy sotto_nrf5x_entropy;

/* A source at another address: the network core of nRF5340 has it at 0x41009000. */
sotto_entropy sotto_nrf5x_entropy_at(void *bank);

#ifdef __cplusplus
}
#endif
#endif
