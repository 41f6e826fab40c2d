/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fleet on one board: every character of a file, '0' or '1', is what one device has to report.
 * Each device starts anew, reports once, and what it sends is appended to a report file.
 *   firmware REPORTS VALUES EPOCH [ENTROPY]
 */
#include "board.h"
#include "metrics.h"
#include "semihosting.h"

#include <sotto/sotto.h>

static bird_strikes_client device; /* all the memory that Sotto uses */
static uint8_t buffer[SOTTO_FLUSH_BYTES_MIN];

/* Each device lives for one report, so that there is nothing to keep. */
static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    (void)context, (void)slot, (void)bytes, (void)capacity_bytes;
    return 0;
}
static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    (void)context, (void)slot, (void)bytes, (void)length_bytes;
    return SOTTO_OK;
}

static sotto_status report(const sotto_port *port, uint32_t epoch, bool damaged, size_t *length) {
    sotto_status status = bird_strikes_init(&device, port);
    if (!SOTTO_FAILED(status)) {
        status = sotto_advance(&device.client, epoch);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_boolean(&device.client, BIRD_STRIKES_DAMAGE, damaged);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_flush(&device.client, buffer, sizeof buffer, length);
    }
    sotto_deinit(&device.client);
    return status;
}

static bool number(const char *text, uint32_t *value) {
    *value = 0;
    int digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 9; ++text, ++digits) {
        *value = *value * 10 + (uint32_t)(*text - '0');
    }
    return *text == '\0' && digits > 0;
}

static int fail(const char *what, const char *why) {
    host_print(what);
    host_print(": ");
    host_print(why);
    host_print("\n");
    return 1;
}

int main(void) {
    char line[256];
    char *argument[4] = {0};
    uint32_t epoch;
    const int count = host_arguments(line, sizeof line, argument, 4);
    if (count < 3 || !number(argument[2], &epoch)) {
        return fail("usage", "firmware REPORTS VALUES EPOCH [ENTROPY]");
    }
    const sotto_entropy *entropy = board_entropy(argument[3]);
    const sotto_port port = {.load = load, .store = store, .entropy = entropy};
    if (entropy == NULL) {
        return fail(argument[3] ? argument[3] : "ENTROPY",
                    "this board needs a readable file of random bytes");
    }
    const int values = host_open(argument[1], HOST_READ);
    if (values < 0) {
        return fail(argument[1], "can't be read");
    }
    const int reports = host_open(argument[0], HOST_WRITE);
    if (reports < 0) {
        return fail(argument[0], "can't be written");
    }

    host_print(board_text);
    host_print("\n");
    uint32_t devices = 0;
    char value;
    int32_t got;
    while ((got = host_read(values, &value, 1)) == 1) {
        if (value != '0' && value != '1') {
            continue;
        }
        size_t length;
        const sotto_status status = report(&port, epoch, value == '1', &length);
        if (SOTTO_FAILED(status)) {
            return fail("no report", sotto_status_text(status));
        }
        if (!host_write(reports, buffer, length)) {
            return fail(argument[0], "can't be written");
        }
        ++devices;
    }
    if (got < 0 || devices == 0) {
        return fail(argument[1], "can't be read, or has no '0' or '1'");
    }
    if (!host_close(reports)) {
        return fail(argument[0], "can't be written");
    }
    host_print_number(devices);
    host_print(" devices reported\n");
    return 0;
}
