// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"
#include "sotto/log.h"
#include "sotto_posix.h"

static int failures = 0;

void sotto_log(const char *, sotto_status) { ++failures; }

int main() {
    test_fleet::client device;
    uint8_t buffer[SOTTO_FLUSH_BYTES_MIN];
    size_t length = 0;
    sotto_posix files;
    if (SOTTO_FAILED(device.init(sotto_posix_port(&files, "cxx11_state"))) ||
        SOTTO_FAILED(SOTTO_LOGGED(device.advance, 1)) || failures != 0 ||
        SOTTO_FAILED(device.report(test_fleet::smoke, true)) || device.pending() != 1 ||
        SOTTO_FAILED(device.flush(buffer, sizeof buffer, length))) {
        return 1;
    }
    sotto_request_result result = {};
    if (device.request(buffer, length, nullptr, nullptr, result) != SOTTO_ERR_REQUEST_NOT_ALLOWED) {
        return 1;
    }
    device.deinit();
    return length > 0 && length <= SOTTO_FLUSH_BYTES_MIN ? 0 : 1;
}
