/* SPDX-License-Identifier: Apache-2.0 */
/* The random bit of RP2040's ring oscillator, by registers. Read README.md before you trust it. */
#ifndef SOTTO_RP2040_H
#define SOTTO_RP2040_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The oscillator must run, and clk_sys must not come from it. Errors: ENTROPY_FAILED (it does not
 * run), ENTROPY_STUCK (2,000 times the same bit). */
extern const sotto_entropy sotto_rp2040_entropy;

/* A source at another address. */
sotto_entropy sotto_rp2040_entropy_at(void *bank);

#ifdef __cplusplus
}
#endif
#endif
