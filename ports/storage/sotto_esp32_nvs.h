/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of one client in a namespace of ESP-IDF's NVS, for load and store of a sotto_port. */
#ifndef SOTTO_ESP32_NVS_H
#define SOTTO_ESP32_NVS_H

#include "sotto/port.h"

#include <nvs.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_esp32_nvs {
    nvs_handle_t handle; /* nvs_open(NAMESPACE, NVS_READWRITE, ...) gives it, to no other client */
} sotto_esp32_nvs;

/* The context is a sotto_esp32_nvs. A slot longer than capacity_bytes tells only its
 * length: NVS gives no part of a blob. Errors: STORAGE. */
int32_t sotto_esp32_nvs_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes);
sotto_status sotto_esp32_nvs_store(void *context, uint32_t slot, const uint8_t *bytes,
                                   size_t length_bytes);

#ifdef __cplusplus
}
#endif
#endif
