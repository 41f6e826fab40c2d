/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flushes the same report under two seeds and compares the stack below: a byte that differs follows
 * from a key or from noise. With COUNTS rows of a counter open, take events and close instead.
 * Prints how deep the calls went, and how many bytes differ.
 */
#include "metrics.h"
#include "semihosting.h"
#include "sotto_testing.h"

#include <string.h>

SOTTO_TEST_PROGRAM();

enum { area_bytes = 6144, near_bytes = 48, paint = 0xa5 };

static small_client device;
static sotto_testing testing;
static uint8_t seed, first[area_bytes];
/* In memory: calls save their caller's registers on the stack. */
static volatile uint32_t run, used, differ;
#ifndef COUNTS
static uint8_t buffer[512];
#endif

static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    (void)context, (void)slot, (void)bytes, (void)capacity_bytes;
    return 0;
}

static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    (void)context, (void)slot, (void)bytes, (void)length_bytes;
    return SOTTO_OK;
}

/* The lowest byte of the area that the calls below use. Not inlined: then no frame of the caller is
 * in it. */
__attribute__((noinline)) static volatile uint8_t *area(void) {
    return (volatile uint8_t *)__builtin_frame_address(0) - near_bytes - area_bytes;
}

static void check(sotto_status status) {
    if (status != SOTTO_OK) {
        host_print(sotto_status_text(status));
        host_exit(1);
    }
}

static void start(void) {
    memset(&device, 0, sizeof device);
    sotto_testing_init(&testing, &seed, sizeof seed, 0);
    sotto_port port = sotto_testing_port(&testing);
    port.load = load;
    port.store = store;
    port.mac = NULL;
    check(small_init(&device, &port));
    check(sotto_advance(&device.client, 0));
}

#ifdef COUNTS
static void work(void) {
    for (uint32_t epoch = 1; epoch < 3; ++epoch) {
        check(sotto_advance(&device.client, epoch));
        check(sotto_count(&device.client, SMALL_OPENINGS, 1));
    }
}
#else
static void work(void) {
    size_t length;
    check(sotto_report_boolean(&device.client, SMALL_DOOR_OPEN, true));
    check(sotto_flush(&device.client, buffer, sizeof buffer, &length));
}
#endif

static void paint_all(volatile uint8_t *stack) {
    for (uint32_t i = 0; i < area_bytes; ++i) {
        stack[i] = paint;
    }
}

int main(void) {
    volatile uint8_t *const stack = area();
    for (run = 0; run < 2; ++run) {
        seed = (uint8_t)(run + 1);
        start();
        paint_all(stack);
        work();
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
