/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The answer of every call. SOTTO_OK is 0. A positive note says that the value had to be adapted;
 * the report is made all the same. After a negative error nothing was reported. */
#ifndef SOTTO_STATUS_H
#define SOTTO_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** SOTTO_OK, a positive note or a negative error: one of the values below. */
typedef int32_t sotto_status;

/** Every answer. The numbers never change meaning. */
enum {
    SOTTO_OK = 0, /**< Done. */

    /* Reported, as the nearest value that the metric has: data never silences a report. */
    SOTTO_VALUE_CLAMPED = 1,  /**< The value was brought into the metric's range. */
    SOTTO_VALUE_TOO_LONG = 2, /**< The string is longer than max_bytes: one value for all such. */
    SOTTO_VALUE_TOO_MANY = 3, /**< Only the first max_members of the members count. */
    SOTTO_VALUE_REPEATED_MEMBER = 4, /**< A member of the set is given twice: it counts once. */

    /* Mistakes in the calling program. */
    SOTTO_ERR_ARGUMENT = -1,             /**< An argument is null or out of its range. */
    SOTTO_ERR_NOT_INITIALISED = -2,      /**< Never initialised, failed to be, or a copy. */
    SOTTO_ERR_NO_EPOCH = -3,             /**< Call sotto_advance() first. */
    SOTTO_ERR_EPOCH_BACKWARD = -4,       /**< Before the present epoch, or beyond 2^32 - 2. */
    SOTTO_ERR_UNKNOWN_METRIC = -5,       /**< The registry has no metric with this id. */
    SOTTO_ERR_WRONG_TYPE = -6,           /**< The metric is of another type. */
    SOTTO_ERR_REGISTRY = -7,             /**< The tables are none that this SDK can use. */
    SOTTO_ERR_ALREADY_REPORTED = -8,     /**< Measured per_epoch times in this epoch already. */
    SOTTO_ERR_QUEUE_FULL = -9,           /**< Call sotto_flush() first. */
    SOTTO_ERR_BUFFER_TOO_SMALL = -10,    /**< Not one report fits: NAME_FLUSH_BYTES_MIN does. */
    SOTTO_ERR_ALREADY_INITIALISED = -11, /**< In use: sotto_deinit() before sotto_init(). */
    SOTTO_ERR_NO_SUCH_VALUE = -12,       /**< The metric has no such category or member. */
    SOTTO_ERR_NO_LADDER = -14,           /**< The metric has one level: nothing to relax. */
    SOTTO_ERR_NO_SUCH_LEVEL = -15,       /**< The metric's ladder has no such level. */
    SOTTO_ERR_LEVEL_NOT_ABOVE = -16,     /**< The level, or a higher one, was asked for already. */
    SOTTO_ERR_NO_RELEASE = -17,          /**< No measurement of that metric and epoch is kept. */
    SOTTO_ERR_LEVELS_BELOW = -18,        /**< The levels below are not all acknowledged yet. */
    SOTTO_ERR_METRIC_CHANGED = -19,      /**< A kept metric is redefined, or gone without room. */
    SOTTO_ERR_PAUSED = -20,              /**< Until sotto_resume(). */
    SOTTO_ERR_BUDGET = -21,              /**< Spent: sotto_get_account() says when it frees. */
    SOTTO_ERR_EPOCH_JUMP = -22,          /**< Too far ahead: sotto_advance_far() if it is right. */
    SOTTO_ERR_BUSY = -23,                /**< Another call on this client is in progress. */
    SOTTO_ERR_NO_BATCH = -24,            /**< No batch waits to be acknowledged. */
    SOTTO_ERR_NOT_COUNTED = -29,         /**< The counter has no open row: see sotto_count(). */

    /* An operator's request, and why nothing was done. */
    SOTTO_ERR_REQUEST_INVALID = -25,     /**< Malformed, or not signed with the fleet's key. */
    SOTTO_ERR_REQUEST_REPLAYED = -26,    /**< This one, or a later one, was obeyed already. */
    SOTTO_ERR_REQUEST_REFUSED = -27,     /**< The consent function said no. */
    SOTTO_ERR_REQUEST_NOT_ALLOWED = -28, /**< By this registry, or meant for another. */

    /* The port could not give what it must; nothing is made with a weaker source. */
    SOTTO_ERR_ENTROPY_FAILED = -32,  /**< The random source reported an error. */
    SOTTO_ERR_ENTROPY_SHORT = -33,   /**< It gave fewer bytes than asked. */
    SOTTO_ERR_ENTROPY_TIMEOUT = -34, /**< It never became ready. */
    SOTTO_ERR_ENTROPY_STUCK = -35,   /**< It repeats one sample. */
    SOTTO_ERR_ENTROPY_BIASED = -36,  /**< It gives one sample too often. */
    SOTTO_ERR_ENTROPY_WEAK = -37,    /**< Its description is none that may be used. */
    SOTTO_ERR_ENTROPY_DEAD = -38,    /**< Failed for good, until sotto_deinit() and sotto_init(). */

    SOTTO_ERR_CRYPTO = -48,      /**< The cryptographic library refused. */
    SOTTO_ERR_KEY_RETIRED = -49, /**< No key is valid in this epoch: nothing leaves. */

    /* The platform's PSA Crypto lacks something; sotto_init() asks before anything is measured. */
    SOTTO_ERR_NO_SHA256 = -50,            /**< PSA_ALG_SHA_256. */
    SOTTO_ERR_NO_X25519 = -51,            /**< PSA_ALG_ECDH on Curve25519. */
    SOTTO_ERR_NO_CHACHA20_POLY1305 = -52, /**< PSA_ALG_CHACHA20_POLY1305. */
    SOTTO_ERR_NO_P256 = -53,              /**< PSA_ALG_ECDSA on P-256. */
    SOTTO_ERR_NO_HEAP = -54,              /**< A key or an operation found no memory. */

    SOTTO_ERR_STORAGE = -64, /**< The port could not load or store. */

    /* The port's state is not the one that this device left there; see sotto_init(). */
    SOTTO_ERR_STATE_MISSING = -65,     /**< A secret, but no state. */
    SOTTO_ERR_STATE_CORRUPT = -66,     /**< Neither copy of the state is whole. */
    SOTTO_ERR_STATE_ROLLED_BACK = -67, /**< The state is older than the port's counter. */
    SOTTO_ERR_SECRET_MISSING = -68,    /**< A state, but no secret. */
    SOTTO_ERR_SECRET_CORRUPT = -69,    /**< The device secret is damaged. */
    SOTTO_ERR_STATE_SIZE = -70,  /**< Larger than this registry's state: an older registry's. */
    SOTTO_ERR_STATE_FORGED = -71 /**< By the port's MAC or counter it was not stored here. */
};

/** Did the call fail? A note (SOTTO_VALUE_...) is none: the report was made. Compare no answer of a
 * report with SOTTO_OK. */
#define SOTTO_FAILED(status) ((status) < SOTTO_OK)

/** One English sentence, without a final stop, for any status; never null; it is never freed.
 * Thread-safe. */
const char *sotto_status_text(sotto_status status);

/** For an answer that is not needed, of a call that warns where it is ignored. */
#define SOTTO_IGNORE(call)                                                                         \
    do {                                                                                           \
        const sotto_status sotto_ignored_ = (call);                                                \
        (void)sotto_ignored_;                                                                      \
    } while (0)

/** Before a declaration: the compiler warns where the answer is ignored. */
#if defined(__GNUC__)
#define SOTTO_NODISCARD __attribute__((warn_unused_result))
#else
#define SOTTO_NODISCARD
#endif

#ifdef __cplusplus
}
#endif
#endif
