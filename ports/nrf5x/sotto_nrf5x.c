/* SPDX-License-Identifier: Apache-2.0 */
/* nRF51 Series Reference Manual 3.0, chapter 19 (RNG); nRF52832 Product Specification 1.4, 27. */
#include "sotto_nrf5x.h"

#include "../registers.h"

#define RNG_BANK ((void *)(uintptr_t)0x4000D000u)

enum {
    TASKS_START = 0x000,
    TASKS_STOP = 0x004,
    EVENTS_VALRDY = 0x100,
    CONFIG = 0x504,
    VALUE = 0x508
};

enum { CONFIG_DERCEN = 1, POLLS_MAX = 1000000 };

static int32_t take(void *rng, uint8_t *samples, size_t count) {
    size_t have = 0;
    sotto_register_write(rng, CONFIG, CONFIG_DERCEN);
    sotto_register_write(rng, EVENTS_VALRDY, 0);
    sotto_register_write(rng, TASKS_START, 1);
    while (have < count) {
        uint32_t polls = 0;
        while (sotto_register_read(rng, EVENTS_VALRDY) == 0 && polls < POLLS_MAX) {
            ++polls;
        }
        if (polls == POLLS_MAX) {
            break;
        }
        /* Read, then clear: a byte that arrives in between is lost, not taken twice. Early nRF51
         * (PAN-028, 21 to 23) reset the value when the event is cleared. They go on only then, and
         * forget the value at STOP. */
        samples[have++] = (uint8_t)sotto_register_read(rng, VALUE);
        sotto_register_write(rng, EVENTS_VALRDY, 0);
    }
    sotto_register_write(rng, TASKS_STOP, 1);
    return have == count ? (int32_t)have : SOTTO_ERR_ENTROPY_TIMEOUT;
}

sotto_entropy sotto_nrf5x_entropy_at(void *bank) {
    sotto_entropy source = sotto_nrf5x_entropy;
    source.context = bank;
    return source;
}

const sotto_entropy sotto_nrf5x_entropy = {.context = RNG_BANK,
                                           .read = take,
                                           .source = SOTTO_SOURCE_RAW,
                                           .sample_bits = 8,
                                           .min_entropy_millibits = 4000};
