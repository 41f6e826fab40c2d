/* SPDX-License-Identifier: Apache-2.0 */
/* An ESP32 at a door says, with noise, whether it was opened today. */
#include <Sotto.h>
#include <bootloader_random.h>
#include <nvs.h>
#include <sotto_esp32.h>
#include <sotto_esp32_nvs.h>

#include "metrics.h" /* sotto-registry makes it from metrics.toml */

static door_client device; /* all the memory there is */
static sotto_esp32_nvs storage;
static bool noise_runs = false;

static bool source_is_live() { return noise_runs; }
static const sotto_esp32 esp32 = {source_is_live};
static const sotto_entropy entropy = sotto_esp32_entropy(&esp32);

/* The noise source of a program without radio. */
static void run_noise(bool run) {
    run ? bootloader_random_enable() : bootloader_random_disable();
    noise_runs = run;
}

static sotto_status begin() {
    static sotto_port port = {};
    port.context = &storage;
    port.load = sotto_esp32_nvs_load;
    port.store = sotto_esp32_nvs_store;
    port.entropy = &entropy;
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

void setup() {
    static uint8_t batch[DOOR_FLUSH_BYTES_MIN];
    size_t length = 0;
    Serial.begin(115200);
    if (nvs_open("sotto", NVS_READWRITE, &storage.handle) != ESP_OK) {
        Serial.println("NVS has no room");
        return;
    }
    sotto_status status = begin();
    if (!SOTTO_FAILED(status)) {
        status = report(true, batch, sizeof batch, &length);
    }
    Serial.println(SOTTO_FAILED(status) ? sotto_status_text(status) : "sealed batch, bytes:");
    Serial.println((unsigned)length); /* any transport will do for the batch */
}

void loop() {}
