/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firmware STATES REPORTS: 2,000 devices, what they kept in STATES, what they send in REPORTS.
 * Built with older.toml each measures, in epoch 0. Built with newer.toml every second one has been
 * updated. It takes up what it kept and publishes the same measurements at the new levels.
 */
#include "metrics.h"

#include "sotto_testing.h"

#include <stdio.h>
#include <stdlib.h>

SOTTO_TEST_PROGRAM();

enum { DEVICES = 2000 };

static void check(sotto_status status, const char *what) {
    if (SOTTO_FAILED(status)) {
        fprintf(stderr, "%s: %s\n", what, sotto_status_text(status));
        exit(1);
    }
}

/* The truth about a device. */
static bool damage(uint64_t device) { return device % 10 < 3; }
static int32_t speed(uint64_t device) { return (int32_t)(device % 8); }
static const char *model(uint64_t device) { return device % 5 < 2 ? "A320" : "B737"; }

static void send(sotto_client *client, FILE *reports) {
    uint8_t batch[256];
    size_t length = 0;
    check(sotto_flush(client, batch, sizeof batch, &length), "sotto_flush");
    fwrite(batch, 1, length, reports);
}

#ifdef FLEET_SMOKE
static void live(sotto_client *client, uint64_t device, FILE *reports) {
    check(sotto_advance(client, 3), "sotto_advance");
    check(sotto_relax(client, FLEET_DAMAGE, 0, 1), "sotto_relax");
    send(client, reports);
    check(sotto_acknowledge(client), "sotto_acknowledge");
    check(sotto_extend_boolean(client, FLEET_DAMAGE, 0, damage(device)), "sotto_extend_boolean");
    check(sotto_extend_integer(client, FLEET_SPEED, 0, speed(device)), "sotto_extend_integer");
    check(sotto_extend_string(client, FLEET_MODEL, 0, model(device), 4), "sotto_extend_string");
    send(client, reports);
}
static const uint64_t step = 2;
static const uint8_t seed = 2;
#else
static void live(sotto_client *client, uint64_t device, FILE *reports) {
    check(sotto_advance(client, 0), "sotto_advance");
    check(sotto_report_boolean(client, FLEET_DAMAGE, damage(device)), "sotto_report_boolean");
    check(sotto_report_integer(client, FLEET_SPEED, speed(device)), "sotto_report_integer");
    check(sotto_report_string(client, FLEET_MODEL, model(device), 4), "sotto_report_string");
    send(client, reports);
}
static const uint64_t step = 1;
static const uint8_t seed = 1;
#endif

/* One record a device: the key of its port's mac, then of each slot its length and its bytes. */
static void move(sotto_testing *device, FILE *states,
                 size_t (*with)(void *, size_t, size_t, FILE *)) {
    size_t slot;
    if (with(device->mac_key, sizeof device->mac_key, 1, states) != 1) {
        fprintf(stderr, "the states: can't be read or written\n");
        exit(1);
    }
    for (slot = 0; slot < SOTTO_SLOT_COUNT; ++slot) {
        size_t *length = &device->lengths_bytes[slot];
        if (with(length, sizeof *length, 1, states) != 1 || *length > SOTTO_TESTING_SLOT_BYTES ||
            with(device->slots[slot], 1, *length, states) != *length) {
            fprintf(stderr, "the states: can't be read or written\n");
            exit(1);
        }
    }
}

static size_t write_to(void *from, size_t size, size_t count, FILE *file) {
    return fwrite(from, size, count, file);
}

int main(int count, char **arguments) {
    static sotto_testing testing;
    static fleet_client memory;
    FILE *states = count == 3 ? fopen(arguments[1], step == 1 ? "wb" : "rb") : NULL;
    FILE *reports = count == 3 ? fopen(arguments[2], "wb") : NULL;
    uint64_t device;
    if (states == NULL || reports == NULL) {
        fprintf(stderr, "usage: firmware STATES REPORTS\n");
        return 2;
    }
    for (device = 0; device < DEVICES; ++device) {
        sotto_port port;
        sotto_testing_init(&testing, &seed, 1, device);
        if (step == 2) {
            move(&testing, states, fread);
        }
        if (device % step == 0) {
            port = sotto_testing_port(&testing);
            check(fleet_init(&memory, &port), "fleet_init");
            live(&memory.client, device, reports);
            check(sotto_deinit(&memory.client), "sotto_deinit");
        }
        if (step == 1) {
            move(&testing, states, write_to);
        }
    }
    return fclose(states) != 0 || fclose(reports) != 0;
}
