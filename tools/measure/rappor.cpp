// SPDX-License-Identifier: Apache-2.0
// Makes RAPPOR reports and writes them; rappor.sh counts the instructions under callgrind.
#include "metrics.h"
#include "sotto_testing.h"

#include <cstdio>

SOTTO_TEST_PROGRAM();

constexpr uint32_t reports = 8; // to a flush, one an epoch, as a device collects them

// Named in C, so that callgrind finds them: hash, PRF, both noises, generator, charges, the durable
// state, wire format.
extern "C" {
__attribute__((noinline)) sotto_status counted_report(sotto_client *client) {
    return sotto_report_string(client, RAPPOR_COST_WORD, "B-737-300", 9);
}
__attribute__((noinline)) sotto_status counted_flush(sotto_client *client, uint8_t *buffer,
                                                     size_t capacity, size_t *length) {
    return sotto_flush(client, buffer, capacity, length);
}
}

int main() {
    const uint8_t seed[] = {1, 2, 3};
    sotto_testing testing;
    sotto_testing_init(&testing, seed, sizeof seed, 0);
    sotto_port port = sotto_testing_port(&testing);
    port.mac = nullptr; // as most ports; it would be some ten blocks of SHA-256 a store
    static rappor_cost_client device;
    uint8_t buffer[2048];
    size_t length = 0;
    sotto_status status = rappor_cost_init(&device, &port);
    for (uint32_t epoch = 0; status == SOTTO_OK && epoch < reports; ++epoch) {
        status = sotto_advance(&device.client, epoch);
        if (status == SOTTO_OK) {
            status = counted_report(&device.client);
        }
    }
    if (status == SOTTO_OK) {
        status = counted_flush(&device.client, buffer, sizeof buffer, &length);
    }
    if (status != SOTTO_OK || length < reports * 4) {
        std::fprintf(stderr, "%s\n", sotto_status_text(status));
        return 1;
    }
    return 0;
}
