/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_zephyr.h"

#if defined(CONFIG_TEST_RANDOM_GENERATOR) || defined(CONFIG_TEST_CSPRNG_GENERATOR) ||              \
    defined(CONFIG_TIMER_RANDOM_GENERATOR)
#error "CONFIG_TEST_RANDOM_GENERATOR and CONFIG_TEST_CSPRNG_GENERATOR give predictable noise"
#endif
#if defined(CONFIG_FAKE_ENTROPY_NATIVE_SIM) || defined(CONFIG_FAKE_ENTROPY_NATIVE_POSIX)
#error                                                                                             \
    "the native simulator's entropy driver repeats itself: use sotto's testing or posix port there"
#endif

#include <zephyr/kernel.h>
#include <zephyr/random/random.h>

/* sys_rand_get is none: it may be any generator at all. */
static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    return sys_csrand_get(bytes, length_bytes) == 0 ? (int32_t)length_bytes
                                                    : SOTTO_ERR_ENTROPY_FAILED;
}

const sotto_entropy sotto_zephyr_entropy = {.read = take, .source = SOTTO_SOURCE_CSPRNG};

static K_MUTEX_DEFINE(one_at_a_time);

/* The same thread gets it again: the client tells that it is busy. */
sotto_status sotto_zephyr_lock(void *context) {
    (void)context;
    if (k_is_in_isr()) {
        return SOTTO_ERR_BUSY;
    }
    return k_mutex_lock(&one_at_a_time, K_FOREVER) == 0 ? SOTTO_OK : SOTTO_ERR_BUSY;
}

void sotto_zephyr_unlock(void *context) {
    (void)context;
    (void)k_mutex_unlock(&one_at_a_time);
}
