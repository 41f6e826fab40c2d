/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_esp32.h"

#include <esp_random.h>
#include <freertos/FreeRTOS.h>
#include <freertos/semphr.h>

static bool is_live(const sotto_esp32 *esp32) {
    return esp32 != NULL && esp32->source_is_live != NULL && esp32->source_is_live();
}

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    const sotto_esp32 *const esp32 = (const sotto_esp32 *)context;
    if (!is_live(esp32)) {
        return SOTTO_ERR_ENTROPY_WEAK;
    }
    esp_fill_random(bytes, length_bytes);
    return is_live(esp32) ? (int32_t)length_bytes : SOTTO_ERR_ENTROPY_WEAK;
}

sotto_entropy sotto_esp32_entropy(const sotto_esp32 *esp32) {
    const sotto_entropy source = {
        .context = (void *)(uintptr_t)esp32, .read = take, .source = SOTTO_SOURCE_CONDITIONED};
    return source;
}

static StaticSemaphore_t memory;
static SemaphoreHandle_t one_at_a_time;

void sotto_esp32_make_lock(void) { one_at_a_time = xSemaphoreCreateRecursiveMutexStatic(&memory); }

/* The same task gets it again, where another kind would wait for itself: the client tells that it
 * is busy. */
sotto_status sotto_esp32_lock(void *context) {
    (void)context;
    if (one_at_a_time == NULL || xPortInIsrContext()) {
        return SOTTO_ERR_BUSY;
    }
    return xSemaphoreTakeRecursive(one_at_a_time, portMAX_DELAY) == pdTRUE ? SOTTO_OK
                                                                           : SOTTO_ERR_BUSY;
}

void sotto_esp32_unlock(void *context) {
    (void)context;
    (void)xSemaphoreGiveRecursive(one_at_a_time);
}
