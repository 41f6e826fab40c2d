/* SPDX-License-Identifier: Apache-2.0 */
/* Linux and other systems with getrandom: the kernel's CSPRNG, and files in a directory. */
#ifndef SOTTO_POSIX_H
#define SOTTO_POSIX_H

#include "sotto/port.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Waits at most ten seconds for the kernel's generator to be seeded after boot. Thread-safe. */
extern const sotto_entropy sotto_posix_entropy;

/* The members are the port's own. */
typedef struct sotto_posix {
    const char *directory;
    pthread_mutex_t mutex;
} sotto_posix;

/*
 * One device: each slot is a file of `directory`, readable by its owner only. The directory must be
 * there: one that is missing may be a volume that is not mounted, and must not make a new device.
 * `posix` and the text `directory` must outlive the port. Threads may share the client: calls wait
 * for each other; one out of another (a hook's, an entropy source's) answers BUSY. Not from signal
 * handlers. Two clients, or two processes, must not share a directory.
 */
sotto_port sotto_posix_port(sotto_posix *posix, const char *directory);

#ifdef __cplusplus
}
#endif
#endif
