/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_esp32_nvs.h"

static const char *const keys[SOTTO_SLOT_COUNT] = {"secret", "state_a", "state_b"};

int32_t sotto_esp32_nvs_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    const sotto_esp32_nvs *const nvs = (const sotto_esp32_nvs *)context;
    size_t length = 0;
    if (slot >= SOTTO_SLOT_COUNT) {
        return SOTTO_ERR_STORAGE;
    }
    esp_err_t error = nvs_get_blob(nvs->handle, keys[slot], NULL, &length);
    if (error == ESP_ERR_NVS_NOT_FOUND) {
        return 0;
    }
    if (error == ESP_OK && length <= capacity_bytes) {
        error = nvs_get_blob(nvs->handle, keys[slot], bytes, &length);
    }
    return error == ESP_OK ? (int32_t)length : SOTTO_ERR_STORAGE;
}

sotto_status sotto_esp32_nvs_store(void *context, uint32_t slot, const uint8_t *bytes,
                                   size_t length_bytes) {
    const sotto_esp32_nvs *const nvs = (const sotto_esp32_nvs *)context;
    if (slot >= SOTTO_SLOT_COUNT) {
        return SOTTO_ERR_STORAGE;
    }
    esp_err_t error = length_bytes == 0
                          ? nvs_erase_key(nvs->handle, keys[slot])
                          : nvs_set_blob(nvs->handle, keys[slot], bytes, length_bytes);
    if (length_bytes == 0 && error == ESP_ERR_NVS_NOT_FOUND) {
        return SOTTO_OK;
    }
    if (error == ESP_OK) {
        error = nvs_commit(nvs->handle);
    }
    return error == ESP_OK ? SOTTO_OK : SOTTO_ERR_STORAGE;
}
