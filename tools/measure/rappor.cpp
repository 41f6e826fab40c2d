// SPDX-License-Identifier: Apache-2.0
// Makes and writes one RAPPOR report; rappor.sh counts the instructions under callgrind.
#include "metrics.h"
#include "sotto_testing.h"

#include <cstdio>

SOTTO_TEST_PROGRAM();

// Named in C, so that callgrind finds it: hash, PRF, both noises, generator, wire format.
extern "C" __attribute__((noinline)) sotto_status one_report(sotto_client *client, uint8_t *buffer,
                                                             size_t capacity, size_t *length) {
    const sotto_status status = sotto_report_string(client, RAPPOR_COST_WORD, "B-737-300", 9);
    return status == SOTTO_OK ? sotto_flush(client, buffer, capacity, length) : status;
}

int main() {
    const uint8_t seed[] = {1, 2, 3};
    sotto_testing testing;
    sotto_testing_init(&testing, seed, sizeof seed, 0);
    const sotto_port port = sotto_testing_port(&testing);
    static rappor_cost_client device;
    uint8_t buffer[512];
    size_t length = 0;
    sotto_status status = rappor_cost_init(&device, &port);
    // The first report finds its value new; the second is what a device does every day.
    for (uint32_t epoch = 0; status == SOTTO_OK && epoch < 2; ++epoch) {
        status = sotto_advance(&device.client, epoch);
        if (status == SOTTO_OK) {
            status = one_report(&device.client, buffer, sizeof buffer, &length);
        }
    }
    if (status != SOTTO_OK || length == 0) {
        std::fprintf(stderr, "%s\n", sotto_status_text(status));
        return 1;
    }
    return 0;
}
