/* SPDX-License-Identifier: Apache-2.0 */
/* Zephyr's sys_csrand_get. Does not compile with a generator that is for tests. */
#ifndef SOTTO_ZEPHYR_H
#define SOTTO_ZEPHYR_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not from an interrupt. Errors: ENTROPY_FAILED. */
extern const sotto_entropy sotto_zephyr_entropy;

#ifdef __cplusplus
}
#endif
#endif
