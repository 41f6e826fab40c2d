// SPDX-License-Identifier: Apache-2.0
// Reports every metric of tests/mechanisms.toml once, on a board or on the host, with noise that
// repeats. Then draws the first level above each ladder forward. Prints each envelope, which must
// be the same everywhere, and how deep the stack went. measure.py counts the instructions between
// the markers.
#include "client/client_code.hpp"

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

const uint16_t members[] = {0, 3};
const int32_t values[] = {1, -2, 3};

sotto_status report(const sotto_metric &m) {
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

// The same values, a level further.
sotto_status extend(const sotto_metric &m) {
    sotto_client *client = &device.client;
    if (sotto::is_forward_by_relaxing(m)) {
        return sotto_relax(client, m.id, 0, m.level_count);
    }
    switch (m.type) {
    case SOTTO_TYPE_BOOLEAN:
        return sotto_extend_boolean(client, m.id, 0, true);
    case SOTTO_TYPE_CATEGORY:
        return sotto_extend_category(client, m.id, 0, 1);
    case SOTTO_TYPE_SET:
        return sotto_extend_set(client, m.id, 0, members, 2);
    case SOTTO_TYPE_VECTOR:
        return sotto_extend_vector(client, m.id, 0, values, 3);
    default:
        return sotto_extend_integer(client, m.id, 0, 12);
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

__attribute__((noinline)) void mark(void) { __asm__ volatile("" ::: "memory"); }

static sotto_status measured(const char *what, sotto_status (*make)(const sotto_metric &m),
                             const sotto_metric &m, size_t &length) {
    paint_stack();
    mark();
    sotto_status status = make(m);
    mark();
    if (status == SOTTO_OK) {
        status = sotto_flush(&device.client, buffer, sizeof buffer, &length);
    }
    mark();
    const uint32_t stack = stack_used();
    host_print(what);
    host_print(" ");
    host_print_number(m.id);
    host_print(" ");
    host_print_number(stack);
    host_print("\n");
    return status;
}

int main(void) {
    static const uint8_t seed[] = {1, 2, 3};
    static sotto_testing testing;
    sotto_testing_init(&testing, seed, sizeof seed, 0);
    sotto_port port = sotto_testing_port(&testing);
    port.load = load_nothing; // the smallest board has no room for slots in memory
    port.store = keep_nothing;
    port.mac = nullptr;
    sotto_status status = every_init(&device, &port);
    if (status == SOTTO_OK) {
        status = sotto_advance(&device.client, 0);
    }
    for (uint32_t i = 0; status == SOTTO_OK && i < every_registry.metric_count; ++i) {
        const sotto_metric &m = every_registry.metrics[i];
        size_t length = 0;
        status = measured("stack", report, m, length);
        host_print("report ");
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
    if (status == SOTTO_OK) {
        status = sotto_acknowledge(&device.client);
    }
    for (uint32_t i = 0; status == SOTTO_OK && i < every_registry.metric_count; ++i) {
        const sotto_metric &m = every_registry.metrics[i];
        size_t length = 0;
        if (m.forward_count > 0) {
            status = measured("forward", extend, m, length);
        }
    }
    return status == SOTTO_OK ? 0 : fail(status);
}
}
