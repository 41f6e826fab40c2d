/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of one client in Zephyr's NVS or ZMS, mounted, for load and store of a sotto_port. */
#ifndef SOTTO_ZEPHYR_STORAGE_H
#define SOTTO_ZEPHYR_STORAGE_H

#include "sotto/port.h"

#if defined(CONFIG_NVS)
#include <zephyr/fs/nvs.h>
#endif
#if defined(CONFIG_ZMS)
#include <zephyr/fs/zms.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(CONFIG_NVS)
typedef struct sotto_zephyr_nvs {
    struct nvs_fs *fs; /* mounted */
    uint16_t first_id; /* this and the next two are of no other client or subsystem */
} sotto_zephyr_nvs;

/* The context is a sotto_zephyr_nvs. A sector must hold the longest slot. Errors: STORAGE. */
int32_t sotto_zephyr_nvs_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes);
sotto_status sotto_zephyr_nvs_store(void *context, uint32_t slot, const uint8_t *bytes,
                                    size_t length_bytes);
#endif

#if defined(CONFIG_ZMS)
typedef struct sotto_zephyr_zms {
    struct zms_fs *fs; /* mounted */
    uint32_t first_id; /* this and the next two are of no other client or subsystem */
} sotto_zephyr_zms;

/* The context is a sotto_zephyr_zms. A sector must hold the longest slot. Errors: STORAGE. */
int32_t sotto_zephyr_zms_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes);
sotto_status sotto_zephyr_zms_store(void *context, uint32_t slot, const uint8_t *bytes,
                                    size_t length_bytes);
#endif

#ifdef __cplusplus
}
#endif
#endif
