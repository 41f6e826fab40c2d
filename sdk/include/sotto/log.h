/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Failed calls in your log: SOTTO_LOGGED(sotto_advance, &device.client, epoch) is the call, and
 * hands a failure to your sotto_log(). No value and no note reaches it, since a note tells of a
 * value. Firmware that does not include this file pays nothing for it. */
#ifndef SOTTO_LOG_H
#define SOTTO_LOG_H

#include "sotto/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Your function. call is the name of the function that failed, status its answer, below 0;
 * sotto_status_text() has a sentence for it. Runs where the call was made, after it: an interrupt
 * that counts events logs from the interrupt. It may call Sotto. */
void sotto_log(const char *call, sotto_status status);

/** Answers status, and logs a failure of that call. Thread-safe where sotto_log() is. */
SOTTO_NODISCARD static inline sotto_status sotto_logged(const char *call, sotto_status status) {
    if (SOTTO_FAILED(status)) {
        sotto_log(call, status);
    }
    return status;
}

/** function(arguments...), logged by the name of the function alone. */
#define SOTTO_LOGGED(function, ...) sotto_logged(#function, function(__VA_ARGS__))

#ifdef __cplusplus
}
#endif
#endif
