/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "sotto_posix.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>

enum { WAIT_MS = 10, WAITS_MAX = 1000 };

static int32_t entropy(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    size_t have = 0;
    int waits = 0;
    while (have < length_bytes) {
        const ssize_t got = getrandom(bytes + have, length_bytes - have, GRND_NONBLOCK);
        if (got > 0) {
            have += (size_t)got;
        } else if (got < 0 && errno == EAGAIN) {
            const struct timespec pause = {.tv_sec = 0, .tv_nsec = WAIT_MS * 1000000L};
            if (++waits > WAITS_MAX) {
                return SOTTO_ERR_ENTROPY_TIMEOUT;
            }
            (void)nanosleep(&pause, NULL);
        } else if (got == 0 || errno != EINTR) {
            return SOTTO_ERR_ENTROPY_FAILED;
        }
    }
    return (int32_t)have;
}

const sotto_port sotto_posix_port = {.context = NULL, .entropy = entropy};
