/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Never runs: what it is larger than nothing.c is the whole client with every call that a firmware
 * would make, the sealing and the crypto. The port is empty. With TAKES_REQUESTS it is larger by
 * the verifier, with COUNTS by a counter.
 */
#include "metrics.h"

static small_client device;
static uint8_t buffer[SMALL_FLUSH_BYTES_MIN];

static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    (void)context, (void)slot, (void)bytes, (void)capacity_bytes;
    return 0;
}
static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    (void)context, (void)slot, (void)bytes, (void)length_bytes;
    return SOTTO_OK;
}
static int32_t read(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context, (void)bytes;
    return (int32_t)length_bytes;
}

static const sotto_entropy entropy = {
    .read = read, .source = SOTTO_SOURCE_RAW, .sample_bits = 8, .min_entropy_millibits = 4000};
static const sotto_port port = {.load = load, .store = store, .entropy = &entropy};

int main(void) {
    sotto_client *const client = &device.client;
    size_t length = 0;
    sotto_status status = small_init(&device, &port);
    status |= sotto_advance(client, 0);
    status |= sotto_report_boolean(client, SMALL_DOOR_OPEN, true);
    status |= sotto_relax(client, SMALL_DOOR_OPEN, 0, 1);
    status |= sotto_flush(client, buffer, sizeof buffer, &length);
    status |= sotto_resend(client, buffer, sizeof buffer, &length);
    status |= sotto_acknowledge(client);
#ifdef TAKES_REQUESTS
    status |= sotto_request(client, buffer, sizeof buffer, NULL, NULL, NULL);
#endif
#ifdef COUNTS
    status |= sotto_count(client, SMALL_OPENINGS, 1);
    status |= sotto_reopen(client, SMALL_OPENINGS);
#endif
    status |= sotto_pause(client);
    status |= sotto_resume(client);
    status |= sotto_close(client, SMALL_DOOR_OPEN, 0);
    status |= sotto_wipe(client);
    return status;
}
