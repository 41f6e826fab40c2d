/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SEMAPHORE_H
#define SEMAPHORE_H

#include "FreeRTOS.h"

typedef StaticSemaphore_t *SemaphoreHandle_t;
SemaphoreHandle_t xSemaphoreCreateRecursiveMutexStatic(StaticSemaphore_t *memory);
BaseType_t xSemaphoreTakeRecursive(SemaphoreHandle_t mutex, TickType_t ticks);
BaseType_t xSemaphoreGiveRecursive(SemaphoreHandle_t mutex);

#endif
