// SPDX-License-Identifier: Apache-2.0
// Runs under valgrind with the value, and in the core the randomness too, marked undefined.
#include "mechanism/randomized_response.hpp"
#include "metrics.h"
#include "sotto_posix.h"

#include <cstdio>
#include <cstring>
#include <valgrind/memcheck.h>

namespace {

volatile uint32_t sink;

int core() {
    for (uint16_t i = 0; i < test_fleet_registry.metric_count; ++i) {
        const sotto_metric &metric = test_fleet_registry.metrics[i];
        for (uint32_t level = 0; level < metric.level_count; ++level) {
            uint32_t value = 1;
            uint8_t random[128] = {1, 2, 3};
            uint32_t bit = 0;
            VALGRIND_MAKE_MEM_UNDEFINED(&value, sizeof value);
            VALGRIND_MAKE_MEM_UNDEFINED(random, sizeof random);
            if (sotto::randomized_response(metric, level, value, {random, sizeof random}, &bit) !=
                SOTTO_OK) {
                return 1;
            }
            sink = bit;
        }
    }
    return 0;
}

int client() {
    test_fleet_client device{};
    uint8_t buffer[512];
    size_t length = 0;
    if (test_fleet_init(&device, &sotto_posix_port) != SOTTO_OK ||
        sotto_advance(&device.client, 0) != SOTTO_OK) {
        return 1;
    }
    for (uint16_t i = 0; i < test_fleet_registry.metric_count; ++i) {
        bool value = true;
        VALGRIND_MAKE_MEM_UNDEFINED(&value, sizeof value);
        if (sotto_report_boolean(&device.client, test_fleet_registry.metrics[i].id, value) !=
            SOTTO_OK) {
            return 1;
        }
    }
    if (sotto_flush(&device.client, buffer, sizeof buffer, &length) != SOTTO_OK || length == 0) {
        return 1;
    }
    // The poison went all the way: of each report one bit is undefined, the published one.
    uint8_t undefined[512] = {};
    VALGRIND_GET_VBITS(buffer, undefined, length);
    int bits = 0;
    for (const uint8_t mask : undefined) {
        bits += __builtin_popcount(mask);
    }
    return bits == test_fleet_registry.metric_count ? 0 : 2;
}

int control_branch() {
    uint32_t uniform = 7;
    VALGRIND_MAKE_MEM_UNDEFINED(&uniform, sizeof uniform);
    if (uniform < 1000) {
        std::puts("below");
    }
    return 0;
}

int control_index() {
    static const uint8_t table[256] = {};
    uint8_t value = 7;
    VALGRIND_MAKE_MEM_UNDEFINED(&value, sizeof value);
    sink = *static_cast<const volatile uint8_t *>(&table[value]);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (!RUNNING_ON_VALGRIND) {
        std::fputs("run this under valgrind\n", stderr);
        return 3;
    }
    const char *subject = argc == 2 ? argv[1] : "";
    if (std::strcmp(subject, "core") == 0) {
        return core();
    }
    if (std::strcmp(subject, "client") == 0) {
        return client();
    }
    if (std::strcmp(subject, "control_branch") == 0) {
        return control_branch();
    }
    if (std::strcmp(subject, "control_index") == 0) {
        return control_index();
    }
    return 3;
}
