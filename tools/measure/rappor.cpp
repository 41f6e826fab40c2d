// SPDX-License-Identifier: Apache-2.0
// Makes and writes one RAPPOR report; rappor.sh counts the instructions under callgrind.
#include "metrics.h"
#include "sotto_testing.h"

#include <cstdio>

SOTTO_TEST_PROGRAM();

constexpr uint32_t reports = 8; // to a flush, as a device collects them

// Named in C, so that callgrind finds it: hash, PRF, both noises, generator, charges, the durable
// state, wire format.
extern "C" __attribute__((noinline)) sotto_status all_reports(sotto_client *client, uint8_t *buffer,
                                                              size_t capacity, size_t *length) {
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; status == SOTTO_OK && i < reports; ++i) {
        status = sotto_report_string(client, RAPPOR_COST_WORD, "B-737-300", 9);
    }
    return status == SOTTO_OK ? sotto_flush(client, buffer, capacity, length) : status;
}

int main() {
    const uint8_t seed[] = {1, 2, 3};
    sotto_testing testing;
    sotto_testing_init(&testing, seed, sizeof seed, 0);
    const sotto_port port = sotto_testing_port(&testing);
    static rappor_cost_client device;
    uint8_t buffer[2048];
    size_t length = 0;
    sotto_status status = rappor_cost_init(&device, &port);
    if (status == SOTTO_OK) {
        status = sotto_advance(&device.client, 0);
    }
    if (status == SOTTO_OK) {
        status = all_reports(&device.client, buffer, sizeof buffer, &length);
    }
    if (status != SOTTO_OK || length < reports * 16) {
        std::fprintf(stderr, "%s\n", sotto_status_text(status));
        return 1;
    }
    return 0;
}
