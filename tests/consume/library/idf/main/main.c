/* SPDX-License-Identifier: Apache-2.0 */
/* An ESP32 at a door says, with noise, whether it was opened today. */
#include "metrics.h"
#include "sotto_esp32.h"
#include "sotto_esp32_nvs.h"

#include <bootloader_random.h>
#include <nvs_flash.h>
#include <stdio.h>

static door_client device; /* all the memory there is */
static sotto_esp32_nvs storage;
static bool noise_runs;

static bool source_is_live(void) { return noise_runs; }
static const sotto_esp32 esp32 = {.source_is_live = source_is_live};

/* The noise source of a program without radio. */
static void run_noise(bool run) {
    run ? bootloader_random_enable() : bootloader_random_disable();
    noise_runs = run;
}

static sotto_status begin(void) {
    static sotto_entropy entropy;
    static const sotto_port port = {.context = &storage,
                                    .load = sotto_esp32_nvs_load,
                                    .store = sotto_esp32_nvs_store,
                                    .lock = sotto_esp32_lock,
                                    .unlock = sotto_esp32_unlock,
                                    .entropy = &entropy};
    entropy = sotto_esp32_entropy(&esp32);
    sotto_esp32_make_lock();
    run_noise(true);
    sotto_status status = door_init(&device, &port);
    if (!SOTTO_FAILED(status)) {
        status = sotto_advance(&device.client, 0); /* day 0: count days by your clock */
    }
    run_noise(false);
    return status;
}

static sotto_status report(bool is_open, uint8_t *batch, size_t capacity, size_t *length) {
    const sotto_status status = sotto_report_boolean(&device.client, DOOR_OPEN, is_open);
    return SOTTO_FAILED(status) ? status : sotto_flush(&device.client, batch, capacity, length);
}

void app_main(void) {
    static uint8_t batch[DOOR_FLUSH_BYTES_MIN];
    size_t length = 0;
    if (nvs_flash_init() != ESP_OK || nvs_open("sotto", NVS_READWRITE, &storage.handle) != ESP_OK) {
        printf("NVS has no room\n");
        return;
    }
    sotto_status status = begin();
    if (!SOTTO_FAILED(status)) {
        status = report(true, batch, sizeof batch, &length);
    }
    if (SOTTO_FAILED(status)) {
        printf("sotto: %s\n", sotto_status_text(status));
        return;
    }
    printf("sealed batch: %u bytes\n", (unsigned)length); /* any transport will do */
}
