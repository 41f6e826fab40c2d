/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"
#include "sotto_posix.h"

#include <stdio.h>

static test_fleet_client device;

int main(void) {
    uint8_t buffer[SOTTO_FLUSH_BYTES_MIN];
    size_t length = 0;
    sotto_posix files;
    const sotto_port port = sotto_posix_port(&files, "c99_state");
    sotto_status status = test_fleet_init(&device, &port);
    if (!SOTTO_FAILED(status)) {
        status = sotto_advance(&device.client, 1);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_boolean(&device.client, TEST_FLEET_SMOKE, true);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_flush(&device.client, buffer, sizeof buffer, &length);
    }
    sotto_deinit(&device.client);
    printf("%s, %u bytes\n", sotto_status_text(status), (unsigned)length);
    return !SOTTO_FAILED(status) && length > 0 && length <= SOTTO_FLUSH_BYTES_MIN ? 0 : 1;
}
