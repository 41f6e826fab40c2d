/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STAND_IN_FLASH_H
#define STAND_IN_FLASH_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zephyr/device.h>
struct flash_pages_info {
    off_t start_offset;
    size_t size;
    uint32_t index;
};
int flash_get_page_info_by_offs(const struct device *dev, off_t offset,
                                struct flash_pages_info *info);
#endif
