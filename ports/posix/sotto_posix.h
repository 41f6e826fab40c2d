/* SPDX-License-Identifier: Apache-2.0 */
/* Linux and other systems with getrandom: the kernel's CSPRNG. Thread-safe. */
#ifndef SOTTO_POSIX_H
#define SOTTO_POSIX_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Waits at most ten seconds for the kernel's generator to be seeded after boot. */
extern const sotto_port sotto_posix_port;

#ifdef __cplusplus
}
#endif
#endif
