/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of client.toml at work: prints of every call the ticks of the machine's clock that it
 * took, how deep the stack went, the bytes in the buffer, and how many words the call left deep in
 * the stack. measure.py makes instructions of the ticks.
 */
#include "metrics.h"
#include "semihosting.h"
#include "sotto_testing.h"
#include "stack.h"
#include "ticks.h"

SOTTO_TEST_PROGRAM();

enum { reports_in_batch = 16, stack_near_bytes = 448 };

static small_client device;
static uint8_t buffer[512];
static size_t length;
static uint32_t left;

static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    (void)context, (void)slot, (void)bytes, (void)capacity_bytes;
    return 0;
}
static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    (void)context, (void)slot, (void)bytes, (void)length_bytes;
    return SOTTO_OK;
}

static void say(const char *what, uint32_t ticks, uint32_t stack_bytes, sotto_status status) {
    host_print(what);
    host_print(" ");
    host_print_number(ticks);
    host_print(" ");
    host_print_number(stack_bytes);
    host_print(" ");
    host_print_number((uint32_t)length);
    host_print(" ");
    host_print_number(left);
    host_print("\n");
    if (status != SOTTO_OK) {
        host_print(sotto_status_text(status));
        host_print("\n");
        host_exit(1);
    }
}

#define MEASURE(what, call)                                                                        \
    do {                                                                                           \
        paint_stack();                                                                             \
        const uint32_t begin = ticks_now();                                                        \
        const sotto_status status = (call);                                                        \
        const uint32_t end = ticks_now();                                                          \
        left = stack_left(stack_near_bytes);                                                       \
        say(what, ticks_between(begin, end), stack_used(), status);                                \
    } while (0)

static sotto_status seal(void) {
    static const uint8_t header[14], ephemeral[32] = {1};
    static uint8_t enc[32], text[384 + 16];
    const sotto_sealing *sealing = small_registry.sealing;
    return sealing->seal(sealing->keys[0].public_key, ephemeral, header, sizeof header, enc, text,
                         sizeof text - 16);
}

int main(void) {
    static const uint8_t seed[] = {1, 2, 3};
    static sotto_testing testing;
    sotto_client *const client = &device.client;
    sotto_testing_init(&testing, seed, sizeof seed, 0);
    sotto_port port = sotto_testing_port(&testing);
    port.load = load;
    port.store = store;
    start_ticks();
    MEASURE("nothing", SOTTO_OK);
    MEASURE("init", small_init(&device, &port));
    MEASURE("advance", sotto_advance(client, 0));
    MEASURE("report", sotto_report_boolean(client, SMALL_DOOR_OPEN, true));
    MEASURE("flush_1", sotto_flush(client, buffer, sizeof buffer, &length));
    MEASURE("acknowledge", sotto_acknowledge(client));
    for (uint32_t day = 1; day <= reports_in_batch; ++day) {
        sotto_status status = sotto_advance(client, day);
        if (status == SOTTO_OK) {
            status = sotto_report_boolean(client, SMALL_DOOR_OPEN, true);
        }
        if (status != SOTTO_OK) {
            say("day", 0, 0, status);
        }
    }
    MEASURE("flush_16", sotto_flush(client, buffer, sizeof buffer, &length));
    MEASURE("resend", sotto_resend(client, buffer, sizeof buffer, &length));
    MEASURE("relax", sotto_relax(client, SMALL_DOOR_OPEN, reports_in_batch, 1));
    MEASURE("close", sotto_close(client, SMALL_DOOR_OPEN, 1));
    MEASURE("pause", sotto_pause(client));
    MEASURE("resume", sotto_resume(client));
    MEASURE("wipe", sotto_wipe(client));
    MEASURE("seal", seal());
    return 0;
}
