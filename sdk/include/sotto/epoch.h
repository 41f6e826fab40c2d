/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The number of an epoch from a clock, for sotto_advance(). Pure functions, thread-safe; UINT32_MAX
 * stands for "not known", and sotto_advance() refuses it. docs/EPOCHS.md has when to use which. */
#ifndef SOTTO_EPOCH_H
#define SOTTO_EPOCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The epoch of a clock or of network time: unix_seconds since 1970 (until February 2106) in epochs
 * of epoch_seconds, 86400 for days. Not known before earliest_seconds, the time at which the
 * firmware was built: a clock that lost its battery is. Not known either where epoch_seconds is 0
 * or 1. */
static inline uint32_t sotto_epoch_from_unix(uint32_t unix_seconds, uint32_t earliest_seconds,
                                             uint32_t epoch_seconds) {
    return unix_seconds < earliest_seconds || epoch_seconds < 2 ? UINT32_MAX
                                                                : unix_seconds / epoch_seconds;
}

/** The epochs of a device without a clock. Zeros on a new device; your firmware keeps it. */
typedef struct sotto_uptime {
    uint32_t epoch;   /**< the present one */
    uint32_t seconds; /**< passed since it began */
} sotto_uptime;

/** Counts passed_seconds more, since the last call, and tells the epoch. Time without power does
 * not count: epochs last longer then, and budgets renew later. After the last epoch, 2^32 - 2, or
 * where epoch_seconds is 0: not known. */
static inline uint32_t sotto_epoch_from_uptime(sotto_uptime *kept, uint32_t passed_seconds,
                                               uint32_t epoch_seconds) {
    if (epoch_seconds == 0) {
        return UINT32_MAX;
    }
    const uint32_t left = epoch_seconds - kept->seconds % epoch_seconds; /* until this epoch ends */
    uint32_t passed = 0;
    if (passed_seconds < left) {
        kept->seconds = epoch_seconds - left + passed_seconds;
    } else {
        passed = 1 + (passed_seconds - left) / epoch_seconds;
        kept->seconds = (passed_seconds - left) % epoch_seconds;
    }
    kept->epoch = passed <= UINT32_MAX - kept->epoch ? kept->epoch + passed : UINT32_MAX;
    return kept->epoch;
}

#ifdef __cplusplus
}
#endif
#endif
