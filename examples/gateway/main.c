/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gateway that counts the points of many by place, and publishes their median. Each line of the
 * file POINTS is a day, each character of it a point: 0 for 'A', to 31 by ASCII.
 *   gateway REPORTS POINTS [ENTROPY]
 */
#include "board.h"
#include "metrics.h"
#include "semihosting.h"

#include <sotto/sotto.h>

enum { points_max = 256 };

static gateway_client device; /* all the memory that Sotto uses */
static uint8_t buffer[GATEWAY_FLUSH_BYTES_MAX];
static int32_t points[points_max];

/* A device of a product keeps its state: sotto/port.h. */
static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    (void)context, (void)slot, (void)bytes, (void)capacity_bytes;
    return 0;
}
static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    (void)context, (void)slot, (void)bytes, (void)length_bytes;
    return SOTTO_OK;
}

static int fail(const char *what, const char *why) {
    host_print(what);
    host_print(": ");
    host_print(why);
    host_print("\n");
    return 1;
}

/* The points of the next day; 0: there is none. */
static size_t next_day(int file) {
    size_t count = 0;
    char character;
    while (count < points_max && host_read(file, &character, 1) == 1 && character != '\n') {
        points[count++] = character - 'A';
    }
    return count;
}

static sotto_status report(uint32_t day, size_t count, int reports) {
    sotto_client *const client = &device.client;
    size_t length = 0;
    sotto_status status = sotto_advance(client, day);
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_points(client, GATEWAY_SPEEDS, points, count);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_quantile(client, GATEWAY_MIDDLE_SPEED, points, count);
    }
    if (!SOTTO_FAILED(status)) {
        status = sotto_flush(client, buffer, sizeof buffer, &length);
    }
    if (SOTTO_FAILED(status)) {
        return status;
    }
    return host_write(reports, buffer, length) ? sotto_acknowledge(client) : SOTTO_ERR_STORAGE;
}

int main(void) {
    char line[256];
    char *argument[3] = {0};
    if (host_arguments(line, sizeof line, argument, 3) < 2) {
        return fail("usage", "gateway REPORTS POINTS [ENTROPY]");
    }
    const sotto_entropy *entropy = board_entropy(argument[2]);
    if (entropy == NULL) {
        return fail(argument[2] ? argument[2] : "ENTROPY",
                    "this board needs a readable file of random bytes");
    }
    const sotto_port port = {.load = load, .store = store, .entropy = entropy};
    const int days = host_open(argument[1], HOST_READ);
    if (days < 0) {
        return fail(argument[1], "can't be read");
    }
    const int reports = host_open(argument[0], HOST_WRITE);
    if (reports < 0) {
        return fail(argument[0], "can't be written");
    }
    host_print(board_text);
    host_print("\n");
    sotto_status status = gateway_init(&device, &port);
    uint32_t day = 0;
    for (size_t count; !SOTTO_FAILED(status) && (count = next_day(days)) > 0; ++day) {
        status = report(day, count, reports);
    }
    sotto_deinit(&device.client);
    if (SOTTO_FAILED(status)) {
        return fail("a day ended early", sotto_status_text(status));
    }
    if (day == 0 || !host_close(reports)) {
        return fail(argument[day == 0 ? 1 : 0], day == 0 ? "has no day" : "can't be written");
    }
    host_print_number(day);
    host_print(" days reported\n");
    return 0;
}
