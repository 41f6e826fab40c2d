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
    SOTTO_SEED_BYTES = 24,
    SOTTO_VALUE_TAG_BYTES = 8,
    SOTTO_FLUSH_BYTES_MIN = 74 /* holds the plain envelope of one report of a boolean, category,
                                  integer or mean; the generated NAME_FLUSH_BYTES_MIN, of any
                                  metric, sealed where the registry has keys */
};

/*
 * A measurement of this device that may be published at more levels. No true value is stored: its
 * words (in sotto_memory) are already noised, at the highest level, and the key is what lower
 * levels are derived with, the same again whenever they are asked for.
 */
typedef struct sotto_release {
    uint32_t epoch;
    uint8_t key[SOTTO_SEED_BYTES + SOTTO_RELEASE_ID_BYTES]; /* a secret seed, then the public id */
    uint32_t value_tag[2]; /* RAPPOR: what the permanent noise of lower levels is drawn by */
    uint16_t metric_index;
    uint16_t pending; /* levels that wait to be flushed, as bits */
    uint8_t level;    /* the highest that was asked for */
    uint8_t is_open;
} sotto_release;

/* The caller's arrays; the generated NAME_client has them with the right sizes. */
typedef struct sotto_memory {
    uint32_t *next_epoch;    /* metric_count */
    sotto_release *releases; /* release_capacity */
    uint32_t *words;         /* (release_capacity + 2) * words_per_release */
    uint32_t *value_tags;    /* 2 * value_tag_count */
    uint8_t *random;         /* random_bytes */
    uint16_t release_capacity;
    uint16_t words_per_release; /* the most value_words of a metric */
    uint16_t value_tag_count;   /* sum of max_values of the metrics that protect values */
    uint16_t random_bytes;      /* the most random_bytes of a metric */
} sotto_memory;

/* What the tests on a raw source remember of it (NIST SP 800-90B 4.4). */
typedef struct sotto_entropy_health {
    uint16_t repetitions; /* of the last sample */
    uint16_t occurrences; /* of the window's first sample */
    uint16_t window_left; /* samples */
    uint8_t last, first;
    uint8_t is_dead;
} sotto_entropy_health;

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
    uint8_t secret[32]; /* cohort and permanent noise follow from it */
    sotto_memory memory;
    uint32_t cohort; /* that a metric's own is a share of */
    uint32_t epoch;
    sotto_status entropy_status; /* what the port answered last */
    sotto_entropy_health health;
    uint8_t random[128]; /* from the generator, not handed out yet: the first random_left bytes */
    uint8_t random_left;
    uint32_t state;
} sotto_client;

/*
 * Seeds the generator from the port, of which it keeps a copy; the port's context and source, the
 * registry and the arrays must outlive the client. A raw source is put to a test of 1,024 samples
 * first, which may take a second: its port says. Call the generated NAME_init instead.
 * A client that was wiped, or a second one, knows nothing of what the device reported before: each
 * can be asked once an epoch anew, so that the device loses epsilon each time.
 * Errors: ALREADY_INITIALISED, and the client goes on as it was; ARGUMENT, REGISTRY, ENTROPY_...,
 * CRYPTO, and it is unusable.
 */
SOTTO_NODISCARD sotto_status sotto_init(sotto_client *client, const sotto_registry *registry,
                                        const sotto_port *port, const sotto_memory *memory);

/*
 * Begins the reporting period `epoch`, a number that the integrator counts (a day, say; the SDK has
 * no clock), 0 to 2^32 - 2. The same epoch again changes nothing; a new one draws fresh randomness
 * from the port, so that a device whose memory was restored does not repeat its noise. Whoever sets
 * the epoch sets how often a metric is reported: never pass a clock in seconds.
 * ENTROPY_STUCK, _BIASED and what the port answers may pass: try again. ENTROPY_DEAD is for good,
 * for reports too, until the client is wiped and initialised anew. Errors, and the epoch stays as
 * it was: EPOCH_BACKWARD, ENTROPY_..., CRYPTO.
 */
SOTTO_NODISCARD sotto_status sotto_advance(sotto_client *client, uint32_t epoch);

/*
 * Each measures one metric: draws its noised value for this epoch and queues the report at level 0.
 * A metric is measured once an epoch. The time this takes does not depend on the value or on the
 * noise. Data never silences a report: a value that the metric does not have becomes the nearest
 * that it has, and the answer is positive then.
 *
 * Errors: NO_EPOCH, UNKNOWN_METRIC, WRONG_TYPE, ALREADY_REPORTED, QUEUE_FULL (flush first),
 * ENTROPY_..., CRYPTO; none of them depends on the value, and after any of them nothing was
 * measured. What else can only be a mistake in the program is said below.
 */
SOTTO_NODISCARD sotto_status sotto_report_boolean(sotto_client *client, uint16_t metric_id,
                                                  bool value);

/* The index of the category. Error: NO_SUCH_VALUE, when it has no such category. */
SOTTO_NODISCARD sotto_status sotto_report_category(sotto_client *client, uint16_t metric_id,
                                                   uint32_t category);

/* The indices of the members, in any order; none at all is a value too. Of more than max_members
 * the first max_members count: VALUE_TOO_MANY. How many there are may show in time and addresses.
 * Errors: NO_SUCH_VALUE, REPEATED_MEMBER, both among the members that count. */
SOTTO_NODISCARD sotto_status sotto_report_set(sotto_client *client, uint16_t metric_id,
                                              const uint16_t *members, size_t count);

/* Bytes, of any encoding; the empty string is a value. One longer than max_bytes becomes one value
 * reserved for all of those: VALUE_TOO_LONG. The length may show in time and addresses. */
SOTTO_NODISCARD sotto_status sotto_report_string(sotto_client *client, uint16_t metric_id,
                                                 const char *text, size_t length_bytes);

/* An integer or mean metric. Clamped to its range: VALUE_CLAMPED. */
SOTTO_NODISCARD sotto_status sotto_report_integer(sotto_client *client, uint16_t metric_id,
                                                  int32_t value);

/* `length` must be that of the metric (error: ARGUMENT). Each number is clamped to its range and
 * then, where the metric has an l1_sensitivity, those at the end to what the others left of it:
 * VALUE_CLAMPED. */
SOTTO_NODISCARD sotto_status sotto_report_vector(sotto_client *client, uint16_t metric_id,
                                                 const int32_t *values, size_t length);

/*
 * Publishes the same measurement again at a higher level of its ladder: queues it. Together the
 * levels lose what the highest of them loses (for a mechanism where that is not so, sotto epsilon
 * says what they lose), and the newest alone is as accurate as if it had been the only one.
 * A measurement can be relaxed until a newer one needs its place.
 * Errors: UNKNOWN_METRIC, NO_LADDER, NO_SUCH_LEVEL, LEVEL_NOT_ABOVE, NO_RELEASE (this device keeps
 * no measurement of that metric and epoch).
 */
SOTTO_NODISCARD sotto_status sotto_relax(sotto_client *client, uint16_t metric_id, uint32_t epoch,
                                         uint8_t level);

/*
 * Each publishes a measurement at the next level above its ladder (`forward` in the registry):
 * draws it from the last value published and the true value, which has to be given again and must
 * be the one that was measured. Together with all levels below it loses what sotto epsilon says of
 * it. From here on the levels below can't be asked for again. Errors: as those of sotto_report_...
 * for the value, UNKNOWN_METRIC, WRONG_TYPE, NO_RELEASE, NO_SUCH_LEVEL (there is none above),
 * LEVELS_BELOW (the top of the ladder has not been published and flushed), ENTROPY_..., CRYPTO;
 * after any of them the measurement is as it was.
 */
SOTTO_NODISCARD sotto_status sotto_extend_boolean(sotto_client *client, uint16_t metric_id,
                                                  uint32_t epoch, bool value);
SOTTO_NODISCARD sotto_status sotto_extend_category(sotto_client *client, uint16_t metric_id,
                                                   uint32_t epoch, uint32_t category);
SOTTO_NODISCARD sotto_status sotto_extend_set(sotto_client *client, uint16_t metric_id,
                                              uint32_t epoch, const uint16_t *members,
                                              size_t count);
SOTTO_NODISCARD sotto_status sotto_extend_integer(sotto_client *client, uint16_t metric_id,
                                                  uint32_t epoch, int32_t value);

/* How many reports wait to be flushed. */
size_t sotto_pending(const sotto_client *client);

/*
 * Writes one length-delimited envelope with as many of the queued reports as fit and takes those
 * off the queue; *length_bytes is 0 when nothing was queued. What several calls wrote, one behind
 * the other, is a report file that `sotto ingest` reads.
 * Where the registry has keys the batch is sealed with the newest whose last_epoch is not past; one
 * X25519 key agreement a call is what takes the time, so a large buffer is worth its bytes.
 * Errors: BUFFER_TOO_SMALL when not even one report fits (NAME_FLUSH_BYTES_MIN always does),
 * KEY_RETIRED when the registry has keys and none is left, ENTROPY_..., CRYPTO: the buffer is
 * zeroed, *length_bytes is 0 and the reports stay queued.
 */
SOTTO_NODISCARD sotto_status sotto_flush(sotto_client *client, uint8_t *buffer,
                                         size_t capacity_bytes, size_t *length_bytes);

/* Zeroes everything: generator, secret, releases, epochs. Of a copy, or of a client that was never
 * initialised, only the client itself. */
void sotto_wipe(sotto_client *client);

#ifdef __cplusplus
}
#endif
#endif
