/* SPDX-License-Identifier: Apache-2.0 */
/* The TRNG of RP2350 with all its checks on, by registers. */
#ifndef SOTTO_RP2350_H
#define SOTTO_RP2350_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The integrator takes it out of reset (RESETS, bit 25). Blocks that fail a check are thrown away,
 * at most 32 on end. Each block is waited for at most 20 million polls, more than a second at 150
 * MHz. The average is some eight milliseconds. Errors: ENTROPY_FAILED (checks go on failing),
 * ENTROPY_STUCK (the same block again), ENTROPY_TIMEOUT, ENTROPY_WEAK (the checks can't be switched
 * on).
 */
extern const sotto_entropy sotto_rp2350_entropy;

/* A source at another address. */
sotto_entropy sotto_rp2350_entropy_at(void *bank);

#ifdef __cplusplus
}
#endif
#endif
