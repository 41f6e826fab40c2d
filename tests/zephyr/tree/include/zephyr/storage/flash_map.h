/* SPDX-License-Identifier: Apache-2.0 */
/* One partition: another name does not compile. */
#ifndef STAND_IN_FLASH_MAP_H
#define STAND_IN_FLASH_MAP_H
#include <zephyr/device.h>
extern const struct device storage_partition_device;
enum { storage_partition_offset = 0x7a000 };
#define FIXED_PARTITION_DEVICE(label) (&label##_device)
#define FIXED_PARTITION_OFFSET(label) (label##_offset)
#endif
