/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_freertos.h"

#include <FreeRTOS.h>
#include <semphr.h>

static StaticSemaphore_t memory;
static SemaphoreHandle_t one_at_a_time;

void sotto_freertos_make_lock(void) {
    one_at_a_time = xSemaphoreCreateRecursiveMutexStatic(&memory);
}

/* The same task gets it again, where another kind would wait for itself: the client tells that it
 * is busy. */
sotto_status sotto_freertos_lock(void *context) {
    (void)context;
    if (one_at_a_time == NULL || xPortIsInsideInterrupt() != pdFALSE) {
        return SOTTO_ERR_BUSY;
    }
    return xSemaphoreTakeRecursive(one_at_a_time, portMAX_DELAY) == pdTRUE ? SOTTO_OK
                                                                           : SOTTO_ERR_BUSY;
}

void sotto_freertos_unlock(void *context) {
    (void)context;
    (void)xSemaphoreGiveRecursive(one_at_a_time);
}
