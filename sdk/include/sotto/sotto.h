/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local differential privacy on the device: a value goes in, a noised report comes out.
 *
 * C99 and up. A client is not thread-safe: calls on one client must not overlap, nor come from an
 * interrupt that may break into another. Different clients are independent.
 */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include "sotto/port.h"
#include "sotto/registry.h"
#include "sotto/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SOTTO_RELEASE_ID_BYTES = 8,
    SOTTO_FLUSH_BYTES_MIN = 74 /* a buffer of this size holds the envelope of any one report */
};

/* A published value that waits to be flushed. It is already noised: no true value is ever stored.
 */
typedef struct sotto_release {
    uint32_t epoch;
    uint32_t value;
    uint8_t id[SOTTO_RELEASE_ID_BYTES];
    uint16_t metric_index;
    uint8_t level;
} sotto_release;

/*
 * One device. The members are the library's own, and a client must stay where it was initialised: a
 * copy is refused, since two devices with one generator would share their noise. The generated
 * header declares NAME_client, which holds this and the arrays it needs, so that its size is all
 * the memory there is, and NAME_init.
 */
typedef struct sotto_client {
    const sotto_registry *registry;
    sotto_port port;
    uint64_t drbg[32];
    uint32_t *next_epoch; /* per metric: the first epoch in which it may be measured again */
    sotto_release *queue;
    uint16_t queue_capacity;
    uint16_t queue_length;
    uint32_t epoch;
    sotto_status entropy_status; /* what the port answered last */
    uint32_t state;
} sotto_client;

/*
 * Seeds the generator from the port, of which it keeps a copy; the port's context, the registry and
 * the arrays must outlive the client. next_epoch has registry->metric_count elements, queue has
 * queue_capacity. Call the generated NAME_init instead.
 * A client that was wiped, or a second one, knows nothing of what the device reported before: each
 * can be asked once an epoch anew, so that the device loses epsilon each time.
 * Errors: ALREADY_INITIALISED, and the client goes on as it was; ARGUMENT, REGISTRY, ENTROPY_...,
 * CRYPTO, and it is unusable.
 */
SOTTO_NODISCARD sotto_status sotto_init(sotto_client *client, const sotto_registry *registry,
                                        const sotto_port *port, uint32_t *next_epoch,
                                        sotto_release *queue, uint16_t queue_capacity);

/*
 * Begins the reporting period `epoch`, a number that the integrator counts (a day, say; the SDK has
 * no clock), 0 to 2^32 - 2. The same epoch again changes nothing; a new one draws fresh randomness
 * from the port, so that a device whose memory was restored does not repeat its noise. Whoever sets
 * the epoch sets how often a metric is reported: never pass a clock in seconds.
 * Errors, and the epoch stays as it was: EPOCH_BACKWARD, ENTROPY_..., CRYPTO.
 */
SOTTO_NODISCARD sotto_status sotto_advance(sotto_client *client, uint32_t epoch);

/*
 * Measures a boolean metric: draws its noised value for this epoch and queues the report. A metric
 * is measured once an epoch. The time this takes does not depend on the value or on the noise.
 * Errors: NO_EPOCH, UNKNOWN_METRIC, WRONG_TYPE, ALREADY_REPORTED, QUEUE_FULL, ENTROPY_..., CRYPTO;
 * none of them depends on the value, and after any of them nothing was measured.
 */
SOTTO_NODISCARD sotto_status sotto_report_boolean(sotto_client *client, uint16_t metric_id,
                                                  bool value);

/* How many reports wait to be flushed. */
size_t sotto_pending(const sotto_client *client);

/*
 * Writes one length-delimited envelope with as many of the queued reports as fit and takes those
 * off the queue; *length_bytes is 0 when nothing was queued. What several calls wrote, one behind
 * the other, is a report file that `sotto ingest` reads.
 * Errors: BUFFER_TOO_SMALL when not even one report fits (SOTTO_FLUSH_BYTES_MIN always does): the
 * buffer is zeroed, *length_bytes is 0 and the reports stay queued.
 */
SOTTO_NODISCARD sotto_status sotto_flush(sotto_client *client, uint8_t *buffer,
                                         size_t capacity_bytes, size_t *length_bytes);

/* Zeroes everything: generator, queue, epochs. Of a copy, or of a client that was never
 * initialised, only the client itself. */
void sotto_wipe(sotto_client *client);

#ifdef __cplusplus
}
#endif
#endif
