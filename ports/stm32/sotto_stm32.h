/* SPDX-License-Identifier: Apache-2.0 */
/* The RNG peripheral of STM32, by registers. Its clocks are the integrator's to switch on. */
#ifndef SOTTO_STM32_H
#define SOTTO_STM32_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Recovery from a seed error, as the reference manual tells it. */
enum {
    /* Clear SEIS, flush twelve words, restart: F2, F4, F7, G0, G4, H74, H75, L0, WB, and L4 but for
     * two lines. */
    SOTTO_STM32_RESTART = 1,
    /* The conditioning soft reset, CONDRST in RNG_CR: H5, H72, H73, H7A, H7B, H7R, H7S, L4P, L4Q,
     * L5, U0, U5, WBA, WL. */
    SOTTO_STM32_CONDITIONING_RESET = 2
};

typedef struct sotto_stm32 {
    void *rng; /* the address of the peripheral, RNG in the vendor's headers */
    uint8_t recovery;
} sotto_stm32;

/*
 * `stm32` must outlive the source. After three seed errors in one word it gives up; each word is
 * waited for at most a million polls. Errors: ENTROPY_FAILED (a seed error that stays, a clock
 * error), ENTROPY_TIMEOUT.
 */
sotto_entropy sotto_stm32_entropy(const sotto_stm32 *stm32);

#ifdef __cplusplus
}
#endif
#endif
