/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"
#include "sotto/log.h"
#include "sotto_posix.h"

#include <stdio.h>
#include <string.h>

static test_fleet_client device;
static char log_line[64];

void sotto_log(const char *call, sotto_status status) {
    snprintf(log_line, sizeof log_line, "%s: %d", call, (int)status);
}

/* A failure is logged; a note, which tells of a value, is not. */
static bool logs_failures_alone(void) {
    SOTTO_IGNORE(sotto_logged("report", SOTTO_VALUE_CLAMPED));
    const bool is_silent = log_line[0] == '\0';
    const sotto_status none = SOTTO_LOGGED(sotto_close, &device.client, TEST_FLEET_SMOKE, 0);
    return is_silent && none == SOTTO_ERR_NO_RELEASE && strcmp(log_line, "sotto_close: -17") == 0;
}

int main(void) {
    uint8_t buffer[SOTTO_FLUSH_BYTES_MIN];
    size_t length = 0;
    sotto_posix files;
    const sotto_port port = sotto_posix_port(&files, "c99_state");
    sotto_status status = test_fleet_init(&device, &port);
    const bool is_logged = logs_failures_alone();
    if (!SOTTO_FAILED(status)) {
        status = SOTTO_LOGGED(sotto_advance, &device.client, 1);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_boolean(&device.client, TEST_FLEET_SMOKE, true);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_flush(&device.client, buffer, sizeof buffer, &length);
    }
    sotto_deinit(&device.client);
    printf("%s, %u bytes\n", sotto_status_text(status), (unsigned)length);
    return is_logged && !SOTTO_FAILED(status) && length > 0 && length <= SOTTO_FLUSH_BYTES_MIN ? 0
                                                                                               : 1;
}
