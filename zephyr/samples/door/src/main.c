/* SPDX-License-Identifier: Apache-2.0 */
/* A door that says, with noise, whether it was opened today. */
#include "metrics.h"
#include "sotto_zephyr.h"
#include "sotto_zephyr_storage.h"

#include <zephyr/device.h>
#include <zephyr/drivers/flash.h>
#include <zephyr/kernel.h>
#include <zephyr/storage/flash_map.h>

static door_client device; /* all the memory there is, but PSA's heap */
static struct nvs_fs nvs = {.sector_count = 3};
static sotto_zephyr_nvs storage = {.fs = &nvs, .first_id = 1};
static const sotto_port port = {.context = &storage,
                                .load = sotto_zephyr_nvs_load,
                                .store = sotto_zephyr_nvs_store,
                                .lock = sotto_zephyr_lock,
                                .unlock = sotto_zephyr_unlock,
                                .entropy = &sotto_zephyr_entropy};

static int mount(void) {
    struct flash_pages_info page;
    nvs.flash_device = FIXED_PARTITION_DEVICE(storage_partition);
    nvs.offset = FIXED_PARTITION_OFFSET(storage_partition);
    const int error = flash_get_page_info_by_offs(nvs.flash_device, nvs.offset, &page);
    nvs.sector_size = (uint16_t)page.size;
    return error != 0 ? error : nvs_mount(&nvs);
}

static sotto_status report(bool is_open, uint8_t *batch, size_t capacity, size_t *length) {
    sotto_status status = sotto_advance(&device.client, 0); /* day 0 */
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_boolean(&device.client, DOOR_OPEN, is_open);
    }
    return SOTTO_FAILED(status) ? status : sotto_flush(&device.client, batch, capacity, length);
}

int main(void) {
    static uint8_t batch[DOOR_FLUSH_BYTES_MIN];
    size_t length = 0;
    if (mount() != 0) {
        printk("storage_partition has no NVS\n");
        return 1;
    }
    sotto_status status = door_init(&device, &port);
    if (!SOTTO_FAILED(status)) {
        status = report(true, batch, sizeof batch, &length);
    }
    if (SOTTO_FAILED(status)) {
        printk("sotto: %s\n", sotto_status_text(status));
        return 1;
    }
    printk("sealed batch: %u bytes\n", (unsigned)length); /* any transport will do */
    return 0;
}
