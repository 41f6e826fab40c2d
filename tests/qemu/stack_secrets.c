/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flushes the same report under two seeds and compares the stack below: a byte that differs follows
 * from a key or from noise. Prints how deep the flush went, and how many bytes differ.
 */
#include "metrics.h"
#include "semihosting.h"
#include "sotto_testing.h"

#include <string.h>

SOTTO_TEST_PROGRAM();

enum { area_bytes = 6144, near_bytes = 512, paint = 0xa5 };

static small_client device;
static sotto_testing testing;
static uint8_t buffer[512], first[area_bytes];

static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    (void)context, (void)slot, (void)bytes, (void)capacity_bytes;
    return 0;
}

static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    (void)context, (void)slot, (void)bytes, (void)length_bytes;
    return SOTTO_OK;
}

/* The lowest byte of the area that the calls below use; the caller's own frame is not in it. */
static volatile uint8_t *area(void) {
    return (volatile uint8_t *)__builtin_frame_address(0) - near_bytes - area_bytes;
}

static void live(uint8_t seed) {
    size_t length;
    memset(&device, 0, sizeof device);
    sotto_testing_init(&testing, &seed, sizeof seed, 0);
    sotto_port port = sotto_testing_port(&testing);
    port.load = load;
    port.store = store;
    port.mac = NULL;
    sotto_status status = small_init(&device, &port);
    if (status == SOTTO_OK) {
        status = sotto_advance(&device.client, 0);
    }
    if (status == SOTTO_OK) {
        status = sotto_report_boolean(&device.client, SMALL_DOOR_OPEN, true);
    }
    if (status == SOTTO_OK) {
        status = sotto_flush(&device.client, buffer, sizeof buffer, &length);
    }
    if (status != SOTTO_OK) {
        host_print(sotto_status_text(status));
        host_exit(1);
    }
}

int main(void) {
    volatile uint8_t *const stack = area();
    uint32_t used = 0, differ = 0;
    for (uint32_t run = 0; run < 2; ++run) {
        for (uint32_t i = 0; i < area_bytes; ++i) {
            stack[i] = paint;
        }
        live((uint8_t)(run + 1));
        for (uint32_t i = 0; i < area_bytes; ++i) {
            if (run == 0) {
                first[i] = stack[i];
                used = used == 0 && first[i] != paint ? area_bytes - i : used;
            } else {
                differ += first[i] != stack[i];
            }
        }
    }
    host_print("deep ");
    host_print_number(used);
    host_print(" differ ");
    host_print_number(differ);
    host_print("\n");
    return 0;
}
