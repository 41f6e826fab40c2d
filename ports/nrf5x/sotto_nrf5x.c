/* SPDX-License-Identifier: Apache-2.0 */
/* nRF51 Series Reference Manual 3.0, chapter 19 (RNG); nRF52832 Product Specification 1.4, 27. */
#include "sotto_nrf5x.h"

#define RNG_BASE ((uintptr_t)0x4000D000u)

/* Word indices into the bank. */
enum {
    TASKS_START = 0x000 / 4,
    TASKS_STOP = 0x004 / 4,
    EVENTS_VALRDY = 0x100 / 4,
    CONFIG = 0x504 / 4,
    VALUE = 0x508 / 4
};

enum { CONFIG_DERCEN = 1, POLLS_MAX = 1000000 };

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    volatile uint32_t *const rng = (volatile uint32_t *)context;
    size_t have = 0;
    rng[CONFIG] = CONFIG_DERCEN;
    rng[EVENTS_VALRDY] = 0;
    rng[TASKS_START] = 1;
    while (have < length_bytes) {
        uint32_t polls = 0;
        while (rng[EVENTS_VALRDY] == 0 && polls < POLLS_MAX) {
            ++polls;
        }
        if (polls == POLLS_MAX) {
            break;
        }
        /* Read, then clear: a byte that arrives in between is lost, not taken twice. */
        bytes[have++] = (uint8_t)rng[VALUE];
        rng[EVENTS_VALRDY] = 0;
    }
    rng[TASKS_STOP] = 1;
    return have == length_bytes ? (int32_t)have : SOTTO_ERR_ENTROPY_TIMEOUT;
}

sotto_entropy sotto_nrf5x_entropy_at(volatile uint32_t *bank) {
    sotto_entropy source = sotto_nrf5x_entropy;
    source.context = (void *)bank;
    return source;
}

const sotto_entropy sotto_nrf5x_entropy = {
    .context = (void *)RNG_BASE, .read = take, .source = SOTTO_SOURCE_CONDITIONED};
