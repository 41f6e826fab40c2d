/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for FreeRTOS, by threads: as much of its interface as the program uses. */
#ifndef INC_FREERTOS_H
#define INC_FREERTOS_H

#include <pthread.h>
#include <stdint.h>

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t, StackType_t;
#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define portMAX_DELAY ((TickType_t)0xffffffffUL)

typedef struct {
    pthread_mutex_t mutex;
} StaticSemaphore_t;
typedef struct {
    pthread_t thread;
    void (*code)(void *);
    void *parameters;
} StaticTask_t;

BaseType_t xPortIsInsideInterrupt(void);

#endif
