/* SPDX-License-Identifier: Apache-2.0 */
/* As much of ESP-IDF's nvs.h as ports/storage and the examples use, after its documentation. */
#ifndef FAKE_NVS_H
#define FAKE_NVS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef int esp_err_t;
typedef uint32_t nvs_handle_t;
typedef enum { NVS_READONLY, NVS_READWRITE } nvs_open_mode_t;
enum {
    ESP_OK = 0,
    ESP_FAIL = -1,
    ESP_ERR_NVS_NOT_FOUND = 0x1102,
    ESP_ERR_NVS_INVALID_LENGTH = 0x110c
};
esp_err_t nvs_open(const char *name, nvs_open_mode_t open_mode, nvs_handle_t *out_handle);
esp_err_t nvs_get_blob(nvs_handle_t handle, const char *key, void *out_value, size_t *length);
esp_err_t nvs_set_blob(nvs_handle_t handle, const char *key, const void *value, size_t length);
esp_err_t nvs_erase_key(nvs_handle_t handle, const char *key);
esp_err_t nvs_commit(nvs_handle_t handle);
#ifdef __cplusplus
}
#endif
#endif
