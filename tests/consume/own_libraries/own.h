/* SPDX-License-Identifier: Apache-2.0 */
/* A firmware's use of an Mbed TLS and a nanopb of its own. */
#ifndef OWN_H
#define OWN_H

#include <stddef.h>
#include <stdint.h>

/* Seeds a generator that lives until own_next. Exit code 0: all is well. */
int own_begin(void);
/* Known answers, the generator's next bytes, and nothing written beside its context. */
int own_next(uint8_t bytes[32]);

#endif
