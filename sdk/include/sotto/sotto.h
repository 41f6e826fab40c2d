/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Local differential privacy on the device: a value goes in, a noised report comes out.
 *
 * C99 and up. Calls on one client must not overlap: either they come from one thread, or the port
 * has a lock. A call that breaks into another (from an interrupt, or from a port's function)
 * answers BUSY and does nothing. Different clients are independent.
 */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include "sotto/port.h"
#include "sotto/registry.h"
#include "sotto/status.h"
#include "sotto/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes in bytes. */
enum {
    SOTTO_RELEASE_ID_BYTES = 8, /**< the public id of a release */
    SOTTO_SEED_BYTES = 24,      /**< the secret seed of a release */
    SOTTO_VALUE_TAG_BYTES = 8,  /**< a device knows a remembered value by them */
    SOTTO_FLUSH_BYTES_MIN = 74  /**< holds the plain envelope of one report of a boolean, category,
                                   integer, mean or distribution. The generated NAME_FLUSH_BYTES_MIN
                                   holds that of  any metric, sealed where the registry has keys */
};

/**
 * A measurement of this device that may be published at more levels. No true value is stored: its
 * words (in sotto_memory) are already noised, at the highest level. Lower levels are derived with
 * the key, and are the same whenever they are asked for.
 */
typedef struct sotto_release {
    uint32_t epoch;        /**< in which it was measured */
    uint16_t metric_id;    /**< 1 to 65535 */
    uint16_t pending;      /**< levels that wait to be flushed, as bits */
    uint16_t batch;        /**< levels in the last batch, which can be asked for again, as bits */
    uint16_t batch_before; /**< in the one before it, while the last is being written */
    uint8_t level;         /**< the highest that was asked for */
    uint8_t flags;         /**< bit 0: open. Its first level is pending: bit 1, in the last batch:
                                bit 2, in the one before: bit 3. Upper half: the first level that
                                a request selected for */
    uint16_t metric_index; /**< where this registry has metric_id */
    uint32_t value_tag[2]; /**< RAPPOR: what the permanent noise of lower levels is drawn by;
                                counters, points: first, how many rows are published */
    uint8_t key[SOTTO_SEED_BYTES];      /**< secret */
    uint8_t id[SOTTO_RELEASE_ID_BYTES]; /**< public; zeros until it is in a batch */
} sotto_release;

/** How the state begins that a device keeps. */
typedef struct sotto_state_head {
    uint32_t checksum;       /**< over all that follows */
    uint8_t mac[16];         /**< the port's, of what follows and the secret; zeros without one */
    uint32_t format;         /**< version of this layout */
    uint32_t sequence;       /**< stores so far */
    uint32_t registry;       /**< fingerprint of the one that it was written for */
    uint32_t account_words;  /**< as in sotto_memory */
    uint32_t release_shape;  /**< release_capacity * 2^16 + words_per_release */
    uint32_t epoch;          /**< the present one */
    uint32_t batch_epoch;    /**< in which the last batch was made */
    uint32_t flags;          /**< the library's own */
    uint32_t request_serial; /**< the last obeyed request's */
} sotto_state_head;

/**
 * The caller's memory; the generated NAME_client has it with the right sizes. The part from `head`
 * to the end of the releases' words is one piece without gaps, in this order. The port stores it.
 */
typedef struct sotto_memory {
    sotto_state_head *head;     /**< one */
    uint32_t *accounts;         /**< account_words: what was measured and spent, by metric */
    sotto_release *releases;    /**< release_capacity */
    uint32_t *words;            /**< release_capacity * words_per_release */
    uint32_t *work;             /**< 2 * words_per_release; not stored, nor is what follows */
    uint8_t *random;            /**< random_bytes */
    uint16_t account_words;     /**< for this registry's accounts; more is room for others' */
    uint16_t release_capacity;  /**< measurements that are kept at once */
    uint16_t words_per_release; /**< the most value_words of a metric */
    uint16_t random_bytes;      /**< the most random_bytes of a metric */
    uint16_t row_words;         /**< the open rows of all counters, the room of all quantiles */
    uint32_t *rows;             /**< row_words: sums that are open, noised, and room that is zero
                                     between calls; never stored or copied, null where there is
                                     neither */
} sotto_memory;

/** The memory of the tests on a raw source (NIST SP 800-90B 4.4). */
typedef struct sotto_entropy_health {
    uint32_t last_seed;   /**< four of its 64 bytes */
    uint16_t repetitions; /**< the last sample's */
    uint16_t occurrences; /**< the window's first sample's */
    uint16_t window_left; /**< samples */
    uint8_t last;         /**< sample */
    uint8_t first;        /**< sample of the window */
    uint8_t is_dead;      /**< 1: it failed for good */
} sotto_entropy_health;

/**
 * One device. The members are the library's own, and a client must stay where it was initialised. A
 * copy is refused, since two devices with one generator would share their noise. The generated
 * header declares NAME_client, which holds this and the memory it needs, so that its size is all
 * the memory there is, and NAME_init.
 */
typedef struct sotto_client {
    /** Small members come first: the smallest cores reach no further by one instruction. */
    const sotto_registry *registry;
    uint32_t state;              /**< is it initialised, and is it no copy? */
    sotto_status status;         /**< the port's source's last answer; why it is blocked */
    uint8_t random_left;         /**< bytes of `random` */
    uint8_t has_epoch;           /**< since it was started */
    uint8_t to_erase;            /**< copies that still have what was closed */
    volatile uint8_t is_busy;    /**< 1: a call is in progress */
    uint16_t account_place;      /**< where the last account was found, in words */
    uint8_t is_settled;          /**< 1: the counter refuses every other state, stored or not */
    sotto_memory memory;         /**< the caller's */
    uint32_t cohort;             /**< a metric's own is a share of it */
    sotto_entropy_health health; /**< a raw source's */
    sotto_port port;             /**< a copy */
    uint8_t secret[32];          /**< cohort and permanent noise follow from it */
    uint64_t drbg[32];           /**< the generator's state, of the crypto backend */
    uint8_t random[112]; /**< from the generator, not handed out yet: the first random_left bytes */
} sotto_client;

/**
 * Seeds the generator from the port and takes up the state that the port kept, or begins one on a
 * new device. A raw source is put to a test of 1,024 samples first, which may take a second: its
 * port says. The client keeps a copy of the port; the port's context and source, the registry and
 * the memory must outlive it. Call the generated NAME_init instead.
 *
 * A state of an older registry is taken over, with all that waits and all that is open. Metrics
 * that are new begin, and levels that are new above a ladder can be reached. Only where there is
 * less room for releases, or for the words of one, than there was, everything open is closed. A
 * metric may go where the state has room for its account, which stays (docs/UPDATES.md). The memory
 * must be zeroed before the first sotto_init(), and after every reset that it survives: a call may
 * have been in progress.
 *
 * Errors: ALREADY_INITIALISED, and the client goes on as it was. ARGUMENT, REGISTRY, ENTROPY_...,
 * CRYPTO, NO_... (over PSA: what the platform lacks), and it is unusable until it is initialised
 * again. After the following it answers every call with the same, and there is nothing to report
 * with:
 * - STORAGE: the port failed. Try again.
 * - METRIC_CHANGED: a metric that this device has an account of means something else now, or is
 *   gone and there is no room for its account. Or a level above its ladder is gone or another.
 *   Keep it, and give a new definition a new id.
 * - STATE_SIZE: a firmware with a larger state kept it. Run that firmware, or one with a larger
 *   state_bytes.
 * - STATE_MISSING, STATE_CORRUPT, STATE_ROLLED_BACK, SECRET_MISSING, SECRET_CORRUPT.
 * - STATE_FORGED: the stored MAC is not the port's, or there is none: the port may have got mac, or
 *   this key, later than the state. Or the state is ahead of the port's counter by more than one
 *   store.
 *
 * From each of these sotto_wipe() leads on, at the price that it says.
 *
 * Later on the port's counter, if it has one, may show that something else has stored since. This
 * is another client on the same slots, or this one before its memory was restored. Every call that
 * stores then answers STATE_ROLLED_BACK and stores nothing. sotto_deinit() and sotto_init() take up
 * what is there.
 */
SOTTO_NODISCARD sotto_status sotto_init(sotto_client *client, const sotto_registry *registry,
                                        const sotto_port *port, const sotto_memory *memory);

/** Ends the use of the client and zeroes its memory; the port keeps its own for the next
 * sotto_init(). Measurements since the last store (sotto_flush(), sotto_close(), sotto_pause(),
 * sotto_resume()) are lost, and nothing is charged for them. If the client is a copy, or was never
 * initialised, only the client itself is zeroed. Errors: ARGUMENT; BUSY, and it goes on. */
sotto_status sotto_deinit(sotto_client *client);

/**
 * Forgets this device: erases secret, releases and counts, here and in both stored copies, and ends
 * the use of the client. The budget is left spent for one window, from the present epoch on. Where
 * the state could not be read, it is spent from the first epoch that is announced. A device that
 * forgot what it said must not say it anew at once. A pause stays. Works after a failed
 * sotto_init() too. Errors: NOT_INITIALISED, BUSY; STORAGE: call it again, or after sotto_init().
 * While a copy can't be read nothing is erased: it may be the newest, and a cut would leave the
 * older one.
 */
SOTTO_NODISCARD sotto_status sotto_wipe(sotto_client *client);

/**
 * Begins the reporting period `epoch`, 0 to 2^32 - 2. The integrator counts it (a day, say), as the
 * SDK has no clock. Call it once after every sotto_init(), and whenever the epoch changes. The same
 * epoch again changes nothing. A new one draws fresh randomness from the port, so that a device
 * whose memory was restored does not repeat its noise. The epochs decide how fast a budget renews:
 * never pass a clock in seconds. A release closes when it leaves the window of its metric (the
 * device's, if the metric has none), once it is flushed.
 *
 * Where metrics are counters their rows that close are queued, and the next ones drawn. If that
 * fails, with QUEUE_FULL (flush first), BUSY (the call broke into sotto_count()), ENTROPY_... or
 * CRYPTO, the epoch has begun for all else, and events still count for the one before: call
 * again.
 *
 * ENTROPY_STUCK, _BIASED and the port's answers may pass: try again. ENTROPY_DEAD is for good, for
 * reports too, until the client is ended and initialised anew.
 *
 * Errors, and the epoch stays as it was: EPOCH_BACKWARD; EPOCH_JUMP, when it lies more than the
 * registry's max_epoch_jump ahead; ENTROPY_..., CRYPTO; STORAGE, only after sotto_wipe(). A new
 * device takes any first epoch: until it has measured something sotto_forget_epoch() leads back.
 * sotto/epoch.h has epochs from clocks.
 */
SOTTO_NODISCARD sotto_status sotto_advance(sotto_client *client, uint32_t epoch);

/** As sotto_advance(), however far ahead, so without EPOCH_JUMP: for a device that was put away,
 * when you know that the epoch is right. There is no way back. */
SOTTO_NODISCARD sotto_status sotto_advance_far(sotto_client *client, uint32_t epoch);

/** Mends a first epoch that was wrong: the next sotto_advance() may take any, as on a new device.
 * Only while nothing was ever measured, since epochs that go back would renew budgets. Errors:
 * NOT_INITIALISED, BUSY; EPOCH_BACKWARD: something was measured, or the device was wiped; STORAGE:
 * the epoch stays. */
SOTTO_NODISCARD sotto_status sotto_forget_epoch(sotto_client *client);

/**
 * Measures a boolean metric: draws its noised value for this epoch and queues the report at level
 * 0, or where the metric's policy starts. The functions below do the same for the other types, with
 * these errors and their own.
 *
 * A metric is measured per_epoch times an epoch, once unless the registry says more. The time this
 * takes does not depend on the value or on the noise. Data never silences a report: a value that
 * the metric does not have becomes the nearest that it has, and the answer is positive then.
 *
 * Errors: NO_EPOCH, PAUSED, UNKNOWN_METRIC, WRONG_TYPE, ALREADY_REPORTED, BUDGET (see
 * sotto_get_account()), QUEUE_FULL (flush first), ENTROPY_..., CRYPTO. None of them depends on the
 * value, and after any of them nothing was measured.
 */
SOTTO_NODISCARD sotto_status sotto_report_boolean(sotto_client *client, uint16_t metric_id,
                                                  bool value);

/** Measures a category, as sotto_report_boolean() does. `category` is its index, from 0. Error, a
 * mistake in the program: NO_SUCH_VALUE, when the metric has no such category. */
SOTTO_NODISCARD sotto_status sotto_report_category(sotto_client *client, uint16_t metric_id,
                                                   uint32_t category);

/** Measures a set, as sotto_report_boolean() does. members[0 .. count) are the indices of its
 * members, in any order; none at all is a value too, and null then. VALUE_TOO_MANY: there are more
 * than max_members, and the first max_members are looked at. VALUE_REPEATED_MEMBER, unless it is
 * VALUE_TOO_MANY: one is given twice among those, and counts once. Their number may show in time
 * and addresses. Error: NO_SUCH_VALUE, of a member that is looked at. */
SOTTO_NODISCARD sotto_status sotto_report_set(sotto_client *client, uint16_t metric_id,
                                              const uint16_t *members, size_t count);

/** Measures a string, as sotto_report_boolean() does. text[0 .. length_bytes) is of any encoding;
 * the empty string is a value. A string longer than max_bytes becomes one value reserved for all of
 * those: VALUE_TOO_LONG. The length may show in time and addresses. */
SOTTO_NODISCARD sotto_status sotto_report_string(sotto_client *client, uint16_t metric_id,
                                                 const char *text, size_t length_bytes);

/** Measures an integer, mean or distribution metric, as sotto_report_boolean() does. `value` is
 * clamped to the metric's range: VALUE_CLAMPED. */
SOTTO_NODISCARD sotto_status sotto_report_integer(sotto_client *client, uint16_t metric_id,
                                                  int32_t value);

/** Measures a vector, values[0 .. length), as sotto_report_boolean() does. `length` must be that of
 * the metric (error: ARGUMENT). Each number is clamped to its range. Where the metric has an
 * l1_sensitivity, each number is then clamped to what the numbers before it have left of that.
 * VALUE_CLAMPED tells of either. Where the metric sorts, the numbers are points of many sources in
 * any order: every call has as many. */
SOTTO_NODISCARD sotto_status sotto_report_vector(sotto_client *client, uint16_t metric_id,
                                                 const int32_t *values, size_t length);

/**
 * Counts points by the places that they lie on, as sotto_report_boolean() measures. The device is
 * trusted with the points of many, as a gateway is. points[0 .. count) are the bins of a
 * histogram. A location's point is two numbers, x and y in points[0 .. 2 * count). Each number is
 * clamped to 0 ... bins - 1, or cells - 1: VALUE_CLAMPED. No point at all is a value too, and null
 * then. `count` is public, and may show in time; where the points lie does not. The rows begin
 * as their noise: no clean count is ever in memory.
 */
SOTTO_NODISCARD sotto_status sotto_report_points(sotto_client *client, uint16_t metric_id,
                                                 const int32_t *points, size_t count);

/** The most points that a quantile is of. */
#define SOTTO_QUANTILE_POINTS_MAX 65535

/**
 * Publishes a quantile of points[0 .. count), one bin of the metric's range, as
 * sotto_report_boolean() measures. The device is trusted with the points of many, as a gateway is.
 * Each point is clamped to min ... max: VALUE_CLAMPED. `count` is public, and may show in time;
 * where the points lie does not. It takes a word of memory a bin, which is zero again afterwards.
 * Error: ARGUMENT, where count is not 1 to SOTTO_QUANTILE_POINTS_MAX.
 */
SOTTO_NODISCARD sotto_status sotto_report_quantile(sotto_client *client, uint16_t metric_id,
                                                   const int32_t *points, size_t count);

/**
 * Publishes the measurements of `epoch` again at a higher level of their ladder: queues them.
 * Together the levels lose as much as the highest of them, unless the mechanism loses more: sotto
 * epsilon says how much. The newest alone is as accurate as if it had been the only one. The
 * difference is charged to that epoch. All measurements of that epoch that are below the level are
 * raised. RAPPOR's levels above the ladder are reached so too, unless they have an f of their own.
 * They need no value, only its permanent bits, which the device has.
 *
 * Errors: NO_EPOCH, PAUSED, UNKNOWN_METRIC, NO_LADDER, NO_SUCH_LEVEL, LEVEL_NOT_ABOVE, NO_RELEASE
 * (this device keeps no measurement of that metric and epoch), BUDGET.
 */
SOTTO_NODISCARD sotto_status sotto_relax(sotto_client *client, uint16_t metric_id, uint32_t epoch,
                                         uint8_t level);

/** An operator's request: to publish the measurements of a metric in some epochs again, at a higher
 * level. */
typedef struct sotto_request_info {
    uint32_t serial;      /**< higher than that of every request before */
    uint32_t first_epoch; /**< included */
    uint32_t last_epoch;  /**< included */
    uint16_t metric_id;   /**< one metric, never all */
    uint8_t level;        /**< 1 to the metric's request_level */
    bool is_selective;    /**< only where the last published value is one of some */
} sotto_request_info;

/** Asked before anything is done, of a request that is signed and allowed; false refuses. It learns
 * what the operator asks for, and nothing of what was measured or published, nor whether this
 * device would be selected. The call is in progress: a call on the same client answers BUSY, and a
 * lock is held. */
typedef bool sotto_consent(void *context, const sotto_request_info *info);

/** How many measurements were relaxed, and how many of the requested ones were not. Three reasons:
 * the budget has no room, or they were not selected. Or their present level was not flushed yet, so
 * that there was nothing to select by. To a person who knows the request, relaxed and not_selected
 * tell the published, noised value. */
typedef struct sotto_request_result {
    uint16_t relaxed;      /**< queued at the level that was asked for */
    uint16_t over_budget;  /**< the budget has no room */
    uint16_t not_selected; /**< the last published value is none of those */
    uint16_t unpublished;  /**< nothing was flushed yet, so there is nothing to select by */
} sotto_request_result;

/** The longest request. */
enum { SOTTO_REQUEST_BYTES_MAX = 512 /**< bytes */ };

/**
 * Obeys a request as `sotto request-relax` signs it, of at most SOTTO_REQUEST_BYTES_MAX. It names a
 * metric, epochs and a level. Each kept measurement of that metric and those epochs is relaxed if
 * it stands below that level and the budgets have room. Its report is queued. The request must be
 * signed with the key of the registry's [requests] (ECDSA, P-256) and be for this registry. It may
 * ask for no more than the metric's request_level. `consent` may be null: then nobody is asked.
 * `result` may be null. The bytes are not copied: nobody may change them before the call returns,
 * the consent neither.
 *
 * A serial is obeyed once, and none up to the registry's request_serial. After a wipe of a state
 * that could not be read nobody knows which ones were obeyed. Each is answered with
 * REQUEST_REPLAYED, until a registry comes whose request_serial is above that of the wipe. It is
 * stored, with what was relaxed and what is flagged, before the call returns, whether anything was
 * relaxed or not.
 *
 * A request may select by the last published value of a boolean, or of a category by
 * k_randomized_response. All that is published above that level is flagged, so that the aggregator
 * can undo the bias. Whether such a device sends one more report shows whoever sees the traffic
 * something of that published, noised value.
 *
 * Only a program that calls this function links the verifier.
 * Errors: NOT_INITIALISED, BUSY, ARGUMENT, PAUSED; REQUEST_INVALID, malformed or not signed so;
 * REQUEST_NOT_ALLOWED, by the registry; REQUEST_REPLAYED; REQUEST_REFUSED, by the consent; after
 * these nothing was done. CRYPTO: what was relaxed before it failed is charged and queued as by
 * sotto_relax(). The serial is not used up: the same request does the rest. STORAGE: the same, of
 * all that it asked for.
 */
SOTTO_NODISCARD sotto_status sotto_request(sotto_client *client, const uint8_t *bytes,
                                           size_t length_bytes, sotto_consent *consent,
                                           void *context, sotto_request_result *result);

/**
 * Counts an event of `amount` units in a counter: adds it to the counter's open rows, sums that
 * began as their noise. It is the one call for interrupts: it takes no lock, waits for nobody and
 * does some dozen instructions a row. On one core it may break into every other call on the client;
 * an event that breaks into sotto_advance() is counted whole, before or after. Count one metric
 * from one place: from one interrupt, or from the program. A call that breaks into another of the
 * same metric answers BUSY, and its event is not counted. On several cores, and between threads
 * that take turns, the caller needs a lock of its own around it and sotto_advance(). No interrupt
 * may count while sotto_init(), sotto_deinit() or sotto_wipe() runs.
 *
 * Rows open with the epoch that sotto_advance() begins, and are published when they close. An epoch
 * that began before the device was started is not counted, since its first events are lost. Nor is
 * one that the budget has no room for. Whether a row is published depends on that alone. A reset
 * abandons open rows, and so does an epoch that begins during a pause, or one that is left out.
 *
 * VALUE_CLAMPED: the amount was negative, and counts 0, or above `event`, and counts `event`.
 * Errors, and the event is not counted: NOT_INITIALISED, NO_EPOCH, PAUSED, UNKNOWN_METRIC,
 * WRONG_TYPE, NOT_COUNTED (the epoch is not), BUSY, ARGUMENT (the client's memory has no rows).
 */
SOTTO_NODISCARD sotto_status sotto_count(sotto_client *client, uint16_t metric_id, int32_t amount);

/** Abandons a counter's open rows, after somebody may have read the memory. About events before
 * that he learned what the rows would have published, about later ones in the same rows everything.
 * Fresh rows open with the epochs that begin them; until then NOT_COUNTED. Errors: NOT_INITIALISED,
 * BUSY, UNKNOWN_METRIC, WRONG_TYPE, ARGUMENT. */
SOTTO_NODISCARD sotto_status sotto_reopen(sotto_client *client, uint16_t metric_id);

/** Forgets what was measured in `epoch`, in both stored copies: it can be published no more.
 * Errors: UNKNOWN_METRIC, NO_RELEASE; STORAGE: forgotten here, but maybe not yet in what the port
 * keeps; call sotto_flush() or this again. */
SOTTO_NODISCARD sotto_status sotto_close(sotto_client *client, uint16_t metric_id, uint32_t epoch);

/** @name Levels above the ladder
 * @{ */
/**
 * Each publishes a measurement at the next level above its ladder (`forward` in the registry). It
 * is drawn from the last value published (of RAPPOR with a smaller f, from the permanent bits) and
 * from the true value. The true value has to be given again, and must be the one that was measured.
 * Nothing notices another, but for RAPPOR that protects values (ARGUMENT). Together with all levels
 * below it loses what sotto epsilon says of it. From here on the levels below can't be asked for
 * again.
 *
 * Errors, and the measurement is as it was: those of sotto_report_... for the value,
 * UNKNOWN_METRIC, WRONG_TYPE, BUDGET, ENTROPY_..., CRYPTO, and
 * - NO_RELEASE: none, or several of that epoch.
 * - NO_SUCH_LEVEL: there is none above, or it is one of RAPPOR that sotto_relax() reaches.
 * - LEVELS_BELOW: the top of the ladder has not been published, flushed and acknowledged.
 */
SOTTO_NODISCARD sotto_status sotto_extend_boolean(sotto_client *client, uint16_t metric_id,
                                                  uint32_t epoch, bool value);
SOTTO_NODISCARD sotto_status sotto_extend_category(sotto_client *client, uint16_t metric_id,
                                                   uint32_t epoch, uint32_t category);
SOTTO_NODISCARD sotto_status sotto_extend_set(sotto_client *client, uint16_t metric_id,
                                              uint32_t epoch, const uint16_t *members,
                                              size_t count);
SOTTO_NODISCARD sotto_status sotto_extend_string(sotto_client *client, uint16_t metric_id,
                                                 uint32_t epoch, const char *text,
                                                 size_t length_bytes);
SOTTO_NODISCARD sotto_status sotto_extend_integer(sotto_client *client, uint16_t metric_id,
                                                  uint32_t epoch, int32_t value);
SOTTO_NODISCARD sotto_status sotto_extend_vector(sotto_client *client, uint16_t metric_id,
                                                 uint32_t epoch, const int32_t *values,
                                                 size_t length);
/** @} */

/** How many reports wait to be flushed; 0 also where a call would answer an error. */
size_t sotto_pending(const sotto_client *client);

/**
 * Writes one length-delimited envelope with as many of the queued reports as fit; *length_bytes is
 * 0 when nothing was queued. Before a byte is written the port has stored the charges and the
 * releases, once for the whole batch. The envelopes of several calls, one behind the other, are a
 * report file that `sotto ingest` reads. Where the registry has keys the batch is sealed with the
 * newest whose last_epoch is not past. The X25519 key agreement of each call takes the time, so a
 * large buffer is worth its bytes.
 *
 * The reports stay in the batch. sotto_resend() gives them again, also after a reboot, until they
 * are acknowledged, by sotto_acknowledge() or by the next sotto_flush() of something new. A new
 * measurement that finds no other place takes that of the batch's oldest.
 *
 * After an error the reports stay queued, the buffer is zeroed and *length_bytes is 0. Errors:
 * NO_EPOCH, PAUSED, BUFFER_TOO_SMALL when not even one report fits (NAME_FLUSH_BYTES_MIN always
 * does). KEY_RETIRED when the registry has keys and none is left. STORAGE, ENTROPY_..., CRYPTO.
 */
SOTTO_NODISCARD sotto_status sotto_flush(sotto_client *client, uint8_t *buffer,
                                         size_t capacity_bytes, size_t *length_bytes);

/** Writes the last batch again: the same reports, so that whoever gets both counts them once;
 * sealed anew. As large a buffer as for sotto_flush() will do, with an exception. Where a release
 * of the batch was closed since, or gave its place away, ids are written out. They take some 9
 * bytes a report; NAME_FLUSH_BYTES_MAX always does. Where the port has a counter the
 * first call after a start stores twice. Errors: NO_EPOCH, PAUSED, NO_BATCH, BUFFER_TOO_SMALL,
 * KEY_RETIRED, STORAGE, STATE_ROLLED_BACK (as sotto_init() says of it), ENTROPY_..., CRYPTO. */
SOTTO_NODISCARD sotto_status sotto_resend(sotto_client *client, uint8_t *buffer,
                                          size_t capacity_bytes, size_t *length_bytes);

/** The last batch has arrived: always the last one, also when the answer of your transport was
 * about an older one. A measurement that can't be relaxed any further is forgotten here. The port's
 * copies lose it with the next two stores, one of which the next epoch makes. Errors:
 * NOT_INITIALISED, BUSY. */
SOTTO_NODISCARD sotto_status sotto_acknowledge(sotto_client *client);

/** The shape of a published value. */
enum {
    SOTTO_SHOWN_INDEX = 0,   /**< words[0] is the index of a value; of a boolean 0 or 1 */
    SOTTO_SHOWN_BITS = 1,    /**< bit i of words[i / 32] is member or Bloom bit i */
    SOTTO_SHOWN_NUMBERS = 2, /**< each word is an int32_t: a number, a coordinate, a sum */
};

/** A report as it left this device, noised. */
typedef struct sotto_sent_report {
    const uint8_t *release_id; /**< SOTTO_RELEASE_ID_BYTES, while the call lasts */
    const uint32_t *words;     /**< word_count words, while the call lasts */
    uint32_t epoch;            /**< in which it was measured */
    uint16_t metric_id;        /**< 1 to 65535 */
    uint16_t word_count;       /**< 1 or more: rows that closed in the epoch, where it is sums */
    uint16_t size;             /**< values that an index can name, or bits; 0 for numbers */
    uint8_t level;             /**< an index into its ladder */
    uint8_t shape;             /**< SOTTO_SHOWN_... */
} sotto_sent_report;

/**
 * Hands every report of the last batch to `show`, in the order of its bytes. A screen can so show a
 * person the values that left the device, until the batch is acknowledged. A string's cohort and
 * the flags of a report are in the bytes alone. `show` must not call
 * the client. Nothing here is secret, as all of it was sent. A program that does not call this does
 * not link it. Errors: NOT_INITIALISED, BUSY, ARGUMENT, NO_BATCH, CRYPTO.
 */
SOTTO_NODISCARD sotto_status sotto_inspect_batch(const sotto_client *client,
                                                 void (*show)(void *context,
                                                              const sotto_sent_report *report),
                                                 void *context);

/** The cryptographic library's own code of the last failure in this program: a psa_status_t, or
 * Mbed TLS's, to look up behind CRYPTO or NO_HEAP. 0: nothing has failed. All clients and
 * threads share it. */
int32_t sotto_get_crypto_error(void);

/** The user says no: from here on nothing is measured, relaxed, sent or charged, also after a
 * reboot, until sotto_resume(). A new device begins so where the registry says start_paused, and
 * after sotto_wipe() it is new. Errors: STORAGE: it stays as it was, but a pause holds until the
 * next reboot. */
SOTTO_NODISCARD sotto_status sotto_pause(sotto_client *client);
/** Ends a pause; charges and reports go on from here. Errors: NOT_INITIALISED, BUSY; STORAGE: it
 * stays paused. */
SOTTO_NODISCARD sotto_status sotto_resume(sotto_client *client);
/** True between sotto_pause() and sotto_resume(); false also where a call would answer an error. */
bool sotto_is_paused(const sotto_client *client);

/** How often the state was stored, since the device was new; read a day apart it tells the wear of
 * the storage (ports/storage/README.md). 0 also where a call would answer an error. */
uint32_t sotto_get_stores(const sotto_client *client);

/** The past of a metric on this device, or of all metrics, and its cost. */
typedef struct sotto_account {
    uint32_t measured;   /**< times, since the device was new or wiped; 0 for the device */
    uint32_t last_epoch; /**< in which it was measured last; UINT32_MAX: never; 0 for the device */
    uint32_t spent;      /**< in the window that ends with the present epoch, in 2^-20 epsilon;
                            UINT32_MAX: all, as a part of it is not known or was wiped */
    uint32_t budget; /**< a window's, in 2^-20 epsilon; 0: there is none, and nothing is counted */
    uint32_t free_epoch; /**< the first in which a new measurement fits the budgets of metric and
                            device; UINT32_MAX: none */
} sotto_account;

/** Tells what this device has said of a metric and what that has cost. metric_id 0 is the device:
 * all metrics together (free_epoch is then the first in which anything fits). Errors:
 * NOT_INITIALISED, UNKNOWN_METRIC, NO_EPOCH. */
SOTTO_NODISCARD sotto_status sotto_get_account(const sotto_client *client, uint16_t metric_id,
                                               sotto_account *account);

/** A measurement that this device keeps: it can be relaxed. */
typedef struct sotto_release_info {
    uint32_t epoch;     /**< in which it was measured */
    uint16_t metric_id; /**< 1 to 65535 */
    uint16_t pending;   /**< levels that wait to be flushed, as bits */
    uint16_t batch;     /**< levels in the last batch, as bits */
    uint8_t level;      /**< the highest that was published or waits to be */
} sotto_release_info;

/** Tells the index-th measurement that this device keeps, from 0. Errors: NOT_INITIALISED,
 * NO_RELEASE: there are no more. */
SOTTO_NODISCARD sotto_status sotto_get_release(const sotto_client *client, size_t index,
                                               sotto_release_info *info);

#ifdef __cplusplus
}
#endif
#endif
