/* SPDX-License-Identifier: Apache-2.0 */
/* A lock for tasks of FreeRTOS that share a client. */
#ifndef SOTTO_FREERTOS_H
#define SOTTO_FREERTOS_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For `lock` and `unlock` of a sotto_port: one mutex for all clients, whose context is not looked
 * at. Tasks wait for each other; an interrupt can't have it, so a call from one answers BUSY. Make
 * it once, before the first client; without, every call answers BUSY.
 */
void sotto_freertos_make_lock(void);
sotto_status sotto_freertos_lock(void *context);
void sotto_freertos_unlock(void *context);

#ifdef __cplusplus
}
#endif
#endif
