/* SPDX-License-Identifier: Apache-2.0 */
/* Seals one report on an emulated board, and says so by the C library's own snprintf. */
#include "metrics.h"
#include "semihosting.h"
#include "sotto_testing.h"

#include <stdio.h>

SOTTO_TEST_PROGRAM();

static small_client device;
static sotto_testing testing;
static uint8_t buffer[512];

/* newlib asks for memory by this name: there is none. */
void *_sbrk(ptrdiff_t bytes);
void *_sbrk(ptrdiff_t bytes) {
    (void)bytes;
    return (void *)UINTPTR_MAX;
}

int main(void) {
    static const uint8_t seed[] = {1};
    char line[64];
    size_t length = 0;
    sotto_testing_init(&testing, seed, sizeof seed, 0);
    const sotto_port port = sotto_testing_port(&testing);
    sotto_status status = small_init(&device, &port);
    if (!SOTTO_FAILED(status)) {
        status = sotto_advance(&device.client, 0);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_boolean(&device.client, SMALL_DOOR_OPEN, true);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_flush(&device.client, buffer, sizeof buffer, &length);
    }
    (void)snprintf(line, sizeof line, "%s, %u bytes\n", sotto_status_text(status),
                   (unsigned)length);
    host_print(line);
    host_exit(SOTTO_FAILED(status) ? 1 : 0);
}
