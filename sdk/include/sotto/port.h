/* SPDX-License-Identifier: Apache-2.0 */
/* All that a platform provides. */
#ifndef SOTTO_PORT_H
#define SOTTO_PORT_H

#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_port {
    /* Handed to every function as it is; may be null. */
    void *context;

    /*
     * Fills bytes[0 .. length_bytes) from the hardware's random source and returns how many bytes
     * it wrote, or a negative sotto_status. Fewer than asked is taken as a failure, so return what
     * there is rather than wait for ever: every wait is bounded. Never fall back to a weaker
     * source. Called from sotto_init, sotto_advance, and from later calls when the generator is
     * due.
     */
    int32_t (*entropy)(void *context, uint8_t *bytes, size_t length_bytes);
} sotto_port;

#ifdef __cplusplus
}
#endif
#endif
