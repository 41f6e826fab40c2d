/* SPDX-License-Identifier: Apache-2.0 */
/* The part that ports/storage and the sample use of Zephyr's fs/nvs.h, as its comments say. */
#ifndef FAKE_ZEPHYR_NVS_H
#define FAKE_ZEPHYR_NVS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
struct device;
struct nvs_fs {
    const struct device *flash_device;
    off_t offset;
    uint16_t sector_size, sector_count;
    int is_mounted;
};
int nvs_mount(struct nvs_fs *fs);
ssize_t nvs_write(struct nvs_fs *fs, uint16_t id, const void *data, size_t len);
int nvs_delete(struct nvs_fs *fs, uint16_t id);
ssize_t nvs_read(struct nvs_fs *fs, uint16_t id, void *data, size_t len);
#ifdef __cplusplus
}
#endif
#endif
