/* SPDX-License-Identifier: Apache-2.0 */
/* A Pico at a door says, with noise, whether it was opened today. */
#include "metrics.h"
#include "sotto_pico_flash.h"

#include <pico/stdlib.h>
#include <stdio.h>
#if PICO_RP2350
#include "sotto_rp2350.h"
#include <hardware/resets.h>
#else
#include "sotto_rp2040.h"
#endif

static door_client device; /* all the memory there is, but for the unit */
static uint8_t unit[SOTTO_PICO_FLASH_UNIT_BYTES];
static sotto_flash flash = {.driver = &sotto_pico_flash, .unit = unit};
static const sotto_port port = {.context = &flash,
                                .load = sotto_flash_load,
                                .store = sotto_flash_store,
#if PICO_RP2350
                                .entropy = &sotto_rp2350_entropy};
#else
                                .entropy = &sotto_rp2040_entropy};
#endif

static sotto_status report(bool is_open, uint8_t *batch, size_t capacity, size_t *length) {
    sotto_status status = sotto_advance(&device.client, 0); /* day 0: count days by your clock */
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_boolean(&device.client, DOOR_OPEN, is_open);
    }
    return SOTTO_FAILED(status) ? status : sotto_flush(&device.client, batch, capacity, length);
}

int main(void) {
    static uint8_t batch[DOOR_FLUSH_BYTES_MIN];
    size_t length = 0;
    stdio_init_all();
#if PICO_RP2350
    unreset_block_wait(RESETS_RESET_TRNG_BITS);
#endif
    sotto_status status = door_init(&device, &port);
    if (!SOTTO_FAILED(status)) {
        status = report(true, batch, sizeof batch, &length);
    }
    if (SOTTO_FAILED(status)) {
        printf("sotto: %s\n", sotto_status_text(status));
        return 1;
    }
    printf("sealed batch: %u bytes\n", (unsigned)length); /* any transport will do */
    return 0;
}
