/* SPDX-License-Identifier: Apache-2.0 */
/* Zephyr's sys_csrand_get, and a lock. Does not compile with a generator that is for tests. */
#ifndef SOTTO_ZEPHYR_H
#define SOTTO_ZEPHYR_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not from an interrupt. Errors: ENTROPY_FAILED. */
extern const sotto_entropy sotto_zephyr_entropy;

/*
 * For `lock` and `unlock` of a sotto_port: one mutex for all clients, whose context is not looked
 * at. Threads wait for each other; an interrupt can't have it, so a call from one answers BUSY.
 */
sotto_status sotto_zephyr_lock(void *context);
void sotto_zephyr_unlock(void *context);

#ifdef __cplusplus
}
#endif
#endif
