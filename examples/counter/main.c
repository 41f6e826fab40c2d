/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doors that count how often they are opened. An interrupt counts; the program begins days and
 * sends what they closed. Each line of the file YEARS is one door. Each character, '0' to '9', is
 * how often it is opened on a day: the timer opens it. counter REPORTS YEARS [ENTROPY]
 */
#include "board.h"
#include "metrics.h"
#include "semihosting.h"
#include "ticks.h"

#include <sotto/sotto.h>

static door_client device; /* all the memory that Sotto uses */
static uint8_t buffer[DOOR_FLUSH_BYTES_MAX];
static volatile uint32_t openings; /* still to come today */
static volatile bool is_lost;

/* As the interrupt of a switch would. */
void tick(void) {
    if (openings > 0) {
        is_lost |= SOTTO_FAILED(sotto_count(&device.client, DOOR_OPENINGS, 1));
        --openings;
    }
}

/* A device of a product keeps its state: sotto/port.h. Open rows are in no state; at a start they
 * begin anew. */
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

/* Begins a day, and sends what it closed. */
static sotto_status begin(uint32_t day, int reports) {
    sotto_client *const client = &device.client;
    size_t length = 0;
    sotto_status status = sotto_advance(client, day);
    if (!SOTTO_FAILED(status)) {
        status = sotto_flush(client, buffer, sizeof buffer, &length);
    }
    if (SOTTO_FAILED(status)) {
        return status;
    }
    return host_write(reports, buffer, length) ? sotto_acknowledge(client) : SOTTO_ERR_STORAGE;
}

/* The next character of a year is a day. */
static bool next_day(int years, char *character) {
    return host_read(years, character, 1) == 1 && *character >= '0' && *character <= '9';
}

/* Day 0 is not counted: it began before the device did. */
static sotto_status live(const sotto_port *port, int years, int reports, char first) {
    sotto_status status = door_init(&device, port);
    uint32_t day = 0;
    if (!SOTTO_FAILED(status)) {
        status = begin(day, reports);
    }
    for (char today = first; !SOTTO_FAILED(status) && day < 1 + UINT16_MAX;) {
        status = begin(++day, reports);
        openings = SOTTO_FAILED(status) ? 0 : (uint32_t)(today - '0');
        while (openings > 0) {
            ticks_wait();
        }
        if (!next_day(years, &today)) {
            break;
        }
    }
    if (!SOTTO_FAILED(status)) {
        status = begin(++day, reports);
    }
    sotto_deinit(&device.client);
    return status;
}

int main(void) {
    char line[256];
    char *argument[3] = {0};
    if (host_arguments(line, sizeof line, argument, 3) < 2) {
        return fail("usage", "counter REPORTS YEARS [ENTROPY]");
    }
    const sotto_entropy *entropy = board_entropy(argument[2]);
    if (entropy == NULL) {
        return fail(argument[2] ? argument[2] : "ENTROPY",
                    "this board needs a readable file of random bytes");
    }
    const sotto_port port = {.load = load, .store = store, .entropy = entropy};
    const int years = host_open(argument[1], HOST_READ);
    if (years < 0) {
        return fail(argument[1], "can't be read");
    }
    const int reports = host_open(argument[0], HOST_WRITE);
    if (reports < 0) {
        return fail(argument[0], "can't be written");
    }
    host_print(board_text);
    host_print("\n");
    ticks_start();
    uint32_t doors = 0;
    for (char first; next_day(years, &first); ++doors) {
        const sotto_status status = live(&port, years, reports, first);
        if (SOTTO_FAILED(status) || is_lost) {
            return fail("a year ended early",
                        is_lost ? "an event was not counted" : sotto_status_text(status));
        }
    }
    if (doors == 0 || !host_close(reports)) {
        return fail(argument[doors == 0 ? 1 : 0], doors == 0 ? "has no day" : "can't be written");
    }
    host_print_number(doors);
    host_print(" doors reported\n");
    return 0;
}
