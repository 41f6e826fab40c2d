/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_zephyr_storage.h"

#include <errno.h>

#if defined(CONFIG_NVS)
/* Answers the whole length, however much was asked for. */
int32_t sotto_zephyr_nvs_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    const sotto_zephyr_nvs *const nvs = (const sotto_zephyr_nvs *)context;
    if (slot >= SOTTO_SLOT_COUNT) {
        return SOTTO_ERR_STORAGE;
    }
    const ssize_t length =
        nvs_read(nvs->fs, (uint16_t)(nvs->first_id + slot), bytes, capacity_bytes);
    if (length < 0) {
        return length == -ENOENT ? 0 : SOTTO_ERR_STORAGE;
    }
    return (int32_t)length;
}

/* Bytes that are there already are not written again: 0. */
sotto_status sotto_zephyr_nvs_store(void *context, uint32_t slot, const uint8_t *bytes,
                                    size_t length_bytes) {
    const sotto_zephyr_nvs *const nvs = (const sotto_zephyr_nvs *)context;
    const uint16_t id = (uint16_t)(nvs->first_id + slot);
    if (slot >= SOTTO_SLOT_COUNT) {
        return SOTTO_ERR_STORAGE;
    }
    if (length_bytes == 0) {
        const int gone = nvs_delete(nvs->fs, id);
        return gone == 0 || gone == -ENOENT ? SOTTO_OK : SOTTO_ERR_STORAGE;
    }
    const ssize_t written = nvs_write(nvs->fs, id, bytes, length_bytes);
    return written == 0 || written == (ssize_t)length_bytes ? SOTTO_OK : SOTTO_ERR_STORAGE;
}
#endif

#if defined(CONFIG_ZMS)
/* zms_read tells what it copied, not how long the entry is. */
int32_t sotto_zephyr_zms_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    const sotto_zephyr_zms *const zms = (const sotto_zephyr_zms *)context;
    if (slot >= SOTTO_SLOT_COUNT) {
        return SOTTO_ERR_STORAGE;
    }
    const uint32_t id = zms->first_id + slot;
    const ssize_t length = zms_get_data_length(zms->fs, id);
    if (length < 0) {
        return length == -ENOENT ? 0 : SOTTO_ERR_STORAGE;
    }
    return zms_read(zms->fs, id, bytes, capacity_bytes) < 0 ? SOTTO_ERR_STORAGE : (int32_t)length;
}

sotto_status sotto_zephyr_zms_store(void *context, uint32_t slot, const uint8_t *bytes,
                                    size_t length_bytes) {
    const sotto_zephyr_zms *const zms = (const sotto_zephyr_zms *)context;
    const uint32_t id = zms->first_id + slot;
    if (slot >= SOTTO_SLOT_COUNT) {
        return SOTTO_ERR_STORAGE;
    }
    if (length_bytes == 0) {
        const int gone = zms_delete(zms->fs, id);
        return gone == 0 || gone == -ENOENT ? SOTTO_OK : SOTTO_ERR_STORAGE;
    }
    const ssize_t written = zms_write(zms->fs, id, bytes, length_bytes);
    return written == 0 || written == (ssize_t)length_bytes ? SOTTO_OK : SOTTO_ERR_STORAGE;
}
#endif
