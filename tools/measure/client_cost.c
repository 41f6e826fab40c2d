/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of client.toml at work. Prints for every call the ticks of the machine's clock that it
 * took, and how deep the stack went. It also prints the bytes in the buffer, and how many words the
 * call left deep in the stack. measure.py makes instructions of the ticks.
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

/*
 * `sotto request-relax --metric door_open --level 1 --epochs 1-16 --serial 1`, signed with
 * tests/keys/operator.key for a registry of this fingerprint.
 */
enum { asked_fingerprint = 0x348dab4d };
static const uint8_t request[] = {
    0x0a, 0x0f, 0x0d, 0x4d, 0xab, 0x8d, 0x34, 0x10, 0x01, 0x18, 0x01, 0x20, 0x01, 0x28,
    0x10, 0x30, 0x01, 0x12, 0x40, 0xab, 0x58, 0x40, 0x19, 0xd8, 0x45, 0xf2, 0xd4, 0xad,
    0xca, 0x10, 0x13, 0xad, 0x7f, 0x21, 0xf5, 0x8f, 0xb3, 0x37, 0x03, 0xa7, 0x2b, 0x73,
    0x93, 0x02, 0x04, 0xfb, 0xa0, 0x3a, 0x18, 0x6f, 0xa2, 0xca, 0x56, 0x15, 0x53, 0x07,
    0x72, 0xe0, 0x89, 0x0e, 0xfb, 0xcf, 0x4b, 0x0c, 0x38, 0xe5, 0xf1, 0xa5, 0x43, 0xbc,
    0x25, 0x82, 0xe3, 0xbc, 0x1a, 0x8f, 0x34, 0xd2, 0x2a, 0xd1, 0x49, 0x2d, 0x0c};

/* So that what was signed once stays signed for it, whatever becomes of batch.toml. */
static void be_asked(void) {
    static sotto_registry asked;
    asked = small_registry;
    asked.fingerprint = asked_fingerprint;
    device.client.registry = &asked;
}

#define MEASURE(what, call)                                                                        \
    do {                                                                                           \
        paint_stack();                                                                             \
        const uint32_t begin = ticks_at_next();                                                    \
        const sotto_status status = (call);                                                        \
        const uint32_t end = ticks_now();                                                          \
        left = stack_left(stack_near_bytes);                                                       \
        say(what, ticks_between(begin, end), stack_used(), status);                                \
    } while (0)

/* seal_parts.cpp */
sotto_status part_x25519(void);
sotto_status part_setup(void);
sotto_status part_encryption(uint8_t *text, size_t text_bytes);

static uint8_t text[384 + 16];

static sotto_status seal(void) {
    static const uint8_t header[14], ephemeral[32] = {1};
    static uint8_t enc[32];
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
    port.mac = NULL;
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
    be_asked();
    sotto_request_result result;
    MEASURE("request", sotto_request(client, request, sizeof request, NULL, NULL, &result));
    if (result.relaxed != 14 || result.over_budget != 1) { /* one of 16 is at that level */
        say("request", 0, 0, SOTTO_ERR_REQUEST_INVALID);
    }
    MEASURE("close", sotto_close(client, SMALL_DOOR_OPEN, 1));
    MEASURE("pause", sotto_pause(client));
    MEASURE("resume", sotto_resume(client));
    MEASURE("wipe", sotto_wipe(client));
    MEASURE("seal", seal());
    MEASURE("x25519", part_x25519());
    MEASURE("setup", part_setup());
    MEASURE("encryption", part_encryption(text, sizeof text - 16));
    return 0;
}
