/* SPDX-License-Identifier: Apache-2.0 */
/* The part that ports/storage uses of Zephyr's fs/zms.h, as its comments say. */
#ifndef FAKE_ZEPHYR_ZMS_H
#define FAKE_ZEPHYR_ZMS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
struct zms_fs {
    int is_mounted;
};
ssize_t zms_write(struct zms_fs *fs, uint32_t id, const void *data, size_t len);
int zms_delete(struct zms_fs *fs, uint32_t id);
ssize_t zms_read(struct zms_fs *fs, uint32_t id, void *data, size_t len);
ssize_t zms_get_data_length(struct zms_fs *fs, uint32_t id);
#ifdef __cplusplus
}
#endif
#endif
