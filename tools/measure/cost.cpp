// SPDX-License-Identifier: Apache-2.0
// Reports every metric of tests/mechanisms.toml once, on a board or on the host, with noise that
// repeats: prints each envelope, which must be the same everywhere, and how deep the stack went.
// measure.py counts the instructions between the markers.
#include "metrics.h"
#include "sotto_testing.h"
#include "stack.h"

// semihosting.h is C.
extern "C" void host_print(const char *text);
extern "C" void host_print_number(uint32_t number);

SOTTO_TEST_PROGRAM();

namespace {

every_client device;
uint8_t buffer[512];

sotto_status report(const sotto_metric &m) {
    static const uint16_t members[] = {0, 3};
    static const int32_t values[] = {1, -2, 3};
    sotto_client *client = &device.client;
    switch (m.type) {
    case SOTTO_TYPE_BOOLEAN:
        return sotto_report_boolean(client, m.id, true);
    case SOTTO_TYPE_CATEGORY:
        return sotto_report_category(client, m.id, 1);
    case SOTTO_TYPE_SET:
        return sotto_report_set(client, m.id, members, 2);
    case SOTTO_TYPE_STRING:
        return sotto_report_string(client, m.id, "B-737-300", 9);
    case SOTTO_TYPE_VECTOR:
        return sotto_report_vector(client, m.id, values, 3);
    default:
        return sotto_report_integer(client, m.id, 12);
    }
}

void print_hex(const uint8_t *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; ++i) {
        const char text[] = {digits[bytes[i] >> 4], digits[bytes[i] & 15], '\0'};
        host_print(text);
    }
}

int32_t load_nothing(void *, uint32_t, uint8_t *, size_t) { return 0; }
sotto_status keep_nothing(void *, uint32_t, const uint8_t *, size_t) { return SOTTO_OK; }

int fail(sotto_status status) {
    host_print(sotto_status_text(status));
    host_print("\n");
    return 1;
}

} // namespace

extern "C" {

__attribute__((noinline)) void mark(uint32_t metric, uint32_t what) {
    __asm__ volatile("" ::"r"(metric), "r"(what) : "memory");
}

int main(void) {
    static const uint8_t seed[] = {1, 2, 3};
    static sotto_testing testing;
    sotto_testing_init(&testing, seed, sizeof seed, 0);
    sotto_port port = sotto_testing_port(&testing);
    port.load = load_nothing; // the smallest board has no room for slots in memory
    port.store = keep_nothing;
    sotto_status status = every_init(&device, &port);
    if (status == SOTTO_OK) {
        status = sotto_advance(&device.client, 0);
    }
    for (uint32_t i = 0; status == SOTTO_OK && i < every_registry.metric_count; ++i) {
        const sotto_metric &m = every_registry.metrics[i];
        size_t length = 0;
        paint_stack();
        mark(m.id, 0);
        status = report(m);
        mark(m.id, 1);
        if (status == SOTTO_OK) {
            status = sotto_flush(&device.client, buffer, sizeof buffer, &length);
        }
        mark(m.id, 2);
        const uint32_t stack = stack_used();
        host_print("stack ");
        host_print_number(m.id);
        host_print(" ");
        host_print_number(stack);
        host_print("\nreport ");
        host_print_number(m.id);
        host_print(" ");
        print_hex(buffer, length);
        // Every level above, by itself.
        for (uint8_t level = 1; status == SOTTO_OK && level < m.level_count; ++level) {
            status = sotto_relax(&device.client, m.id, 0, level);
            if (status == SOTTO_OK) {
                status = sotto_flush(&device.client, buffer, sizeof buffer, &length);
            }
            host_print(" ");
            print_hex(buffer, length);
        }
        host_print("\n");
    }
    return status == SOTTO_OK ? 0 : fail(status);
}
}
