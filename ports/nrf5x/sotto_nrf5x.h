/* SPDX-License-Identifier: Apache-2.0 */
/* The RNG peripheral of nRF51 and nRF52, by registers. Not for use while a SoftDevice owns it. */
#ifndef SOTTO_NRF5X_H
#define SOTTO_NRF5X_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bias correction is on; each byte is waited for at most a million polls (some 0.5 s at 16 MHz). */
extern const sotto_entropy sotto_nrf5x_entropy;

/* The same over a register bank at another address, for tests. `bank` must outlive the source. */
sotto_entropy sotto_nrf5x_entropy_at(volatile uint32_t *bank);

#ifdef __cplusplus
}
#endif
#endif
