/* SPDX-License-Identifier: Apache-2.0 */
/* What every call answers: SOTTO_OK; a positive note that the value had to be adapted, the report
 * being made all the same; or a negative error after which nothing was reported. */
#ifndef SOTTO_STATUS_H
#define SOTTO_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t sotto_status;

enum {
    SOTTO_OK = 0,
    /* Reported, as the nearest value that the metric has: data never silences a report. */
    SOTTO_VALUE_CLAMPED = 1,
    SOTTO_VALUE_TOO_LONG = 2,
    SOTTO_VALUE_TOO_MANY = 3,
    /* Mistakes in the calling program. */
    SOTTO_ERR_ARGUMENT = -1,
    SOTTO_ERR_NOT_INITIALISED = -2,
    SOTTO_ERR_NO_EPOCH = -3,
    SOTTO_ERR_EPOCH_BACKWARD = -4,
    SOTTO_ERR_UNKNOWN_METRIC = -5,
    SOTTO_ERR_WRONG_TYPE = -6,
    SOTTO_ERR_REGISTRY = -7,
    SOTTO_ERR_ALREADY_REPORTED = -8,
    SOTTO_ERR_QUEUE_FULL = -9,
    SOTTO_ERR_BUFFER_TOO_SMALL = -10,
    SOTTO_ERR_ALREADY_INITIALISED = -11,
    SOTTO_ERR_NO_SUCH_VALUE = -12,
    SOTTO_ERR_REPEATED_MEMBER = -13,
    SOTTO_ERR_NO_LADDER = -14,
    SOTTO_ERR_NO_SUCH_LEVEL = -15,
    SOTTO_ERR_LEVEL_NOT_ABOVE = -16,
    SOTTO_ERR_NO_RELEASE = -17,
    SOTTO_ERR_LEVELS_BELOW = -18,
    SOTTO_ERR_METRIC_CHANGED = -19,
    SOTTO_ERR_PAUSED = -20,
    SOTTO_ERR_BUDGET = -21,
    SOTTO_ERR_EPOCH_JUMP = -22,
    SOTTO_ERR_BUSY = -23,
    SOTTO_ERR_NO_BATCH = -24,
    /* What an operator asked for, and why nothing was done. */
    SOTTO_ERR_REQUEST_INVALID = -25,
    SOTTO_ERR_REQUEST_REPLAYED = -26,
    SOTTO_ERR_REQUEST_REFUSED = -27,
    SOTTO_ERR_REQUEST_NOT_ALLOWED = -28,
    /* The port could not give what it must; nothing is made with a weaker source. */
    SOTTO_ERR_ENTROPY_FAILED = -32,
    SOTTO_ERR_ENTROPY_SHORT = -33,
    SOTTO_ERR_ENTROPY_TIMEOUT = -34,
    SOTTO_ERR_ENTROPY_STUCK = -35,
    SOTTO_ERR_ENTROPY_BIASED = -36,
    SOTTO_ERR_ENTROPY_WEAK = -37,
    SOTTO_ERR_ENTROPY_DEAD = -38,
    /* The cryptographic library refused. */
    SOTTO_ERR_CRYPTO = -48,
    /* No key of the registry may be used in this epoch: nothing leaves. */
    SOTTO_ERR_KEY_RETIRED = -49,
    /* The port could not load or store. */
    SOTTO_ERR_STORAGE = -64,
    /* What the port keeps is not what this device left there; see sotto_init. */
    SOTTO_ERR_STATE_MISSING = -65,
    SOTTO_ERR_STATE_CORRUPT = -66,
    SOTTO_ERR_STATE_ROLLED_BACK = -67,
    SOTTO_ERR_SECRET_MISSING = -68,
    SOTTO_ERR_SECRET_CORRUPT = -69,
    SOTTO_ERR_STATE_SIZE = -70
};

/* One English sentence, without a final stop, for any status; never null. Thread-safe. */
const char *sotto_status_text(sotto_status status);

#if defined(__GNUC__)
#define SOTTO_NODISCARD __attribute__((warn_unused_result))
#else
#define SOTTO_NODISCARD
#endif

#ifdef __cplusplus
}
#endif
#endif
