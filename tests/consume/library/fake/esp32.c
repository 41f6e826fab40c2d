/* SPDX-License-Identifier: Apache-2.0 */
/* As much of an ESP32 as the example needs, on the host. Noise runs only while it is enabled; NVS
 * is in RAM; there is one task. */
#include "bootloader_random.h"
#include "esp_random.h"
#include "freertos/FreeRTOS.h"
#include "freertos/semphr.h"
#include "nvs_flash.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

enum { KEYS_MAX = 3, BLOB_BYTES_MAX = 4000 };

static bool noise_runs;
static bool is_mounted = ARDUINO; /* Arduino's core mounts it before setup() */
static struct {
    char key[16];
    uint8_t bytes[BLOB_BYTES_MAX];
    size_t length;
} blobs[KEYS_MAX];

void bootloader_random_enable(void) { noise_runs = true; }
void bootloader_random_disable(void) { noise_runs = false; }

/* Without noise: bytes that repeat, which Sotto refuses. */
void esp_fill_random(void *bytes, size_t length) {
    if (!noise_runs || getrandom(bytes, length, 0) != (ssize_t)length) {
        memset(bytes, 0x55, length);
    }
}

esp_err_t nvs_flash_init(void) {
    is_mounted = true;
    return ESP_OK;
}

esp_err_t nvs_open(const char *name, nvs_open_mode_t mode, nvs_handle_t *handle) {
    *handle = 1;
    return is_mounted && mode == NVS_READWRITE && strlen(name) < 16 ? ESP_OK : ESP_FAIL;
}

static int place(const char *key) {
    for (int i = 0; i < KEYS_MAX; ++i) {
        if (strcmp(blobs[i].key, key) == 0 || blobs[i].key[0] == 0) {
            return i;
        }
    }
    return -1;
}

esp_err_t nvs_get_blob(nvs_handle_t handle, const char *key, void *value, size_t *length) {
    const int i = place(key);
    if (handle != 1 || i < 0 || blobs[i].length == 0) {
        return ESP_ERR_NVS_NOT_FOUND;
    }
    if (value != NULL && *length < blobs[i].length) {
        return ESP_ERR_NVS_INVALID_LENGTH;
    }
    *length = blobs[i].length;
    if (value != NULL) {
        memcpy(value, blobs[i].bytes, *length);
    }
    return ESP_OK;
}

esp_err_t nvs_set_blob(nvs_handle_t handle, const char *key, const void *value, size_t length) {
    const int i = place(key);
    if (handle != 1 || i < 0 || length > BLOB_BYTES_MAX || strlen(key) >= sizeof blobs[i].key) {
        return ESP_FAIL;
    }
    strcpy(blobs[i].key, key);
    memcpy(blobs[i].bytes, value, length);
    blobs[i].length = length;
    return ESP_OK;
}

esp_err_t nvs_erase_key(nvs_handle_t handle, const char *key) {
    return nvs_set_blob(handle, key, "", 0);
}
esp_err_t nvs_commit(nvs_handle_t handle) { return handle == 1 ? ESP_OK : ESP_FAIL; }

int xPortInIsrContext(void) { return 0; }
SemaphoreHandle_t xSemaphoreCreateRecursiveMutexStatic(StaticSemaphore_t *memory) { return memory; }
int xSemaphoreTakeRecursive(SemaphoreHandle_t mutex, unsigned long ticks) {
    (void)ticks;
    return mutex->held++ >= 0 ? pdTRUE : 0;
}
int xSemaphoreGiveRecursive(SemaphoreHandle_t mutex) { return mutex->held-- > 0 ? pdTRUE : 0; }
