/* SPDX-License-Identifier: Apache-2.0 */
/* RP2040 Datasheet, 2.17 (ROSC). */
#include "sotto_rp2040.h"

#include "../registers.h"

#define ROSC_BANK ((void *)(uintptr_t)0x40060000u)
#define STATUS_RUNS ((1u << 31) | (1u << 12)) /* stable and enabled */

enum { STATUS = 0x18, RANDOMBIT = 0x1c };

/* A period of the oscillator is some 20 cycles of a 125 MHz core: reads that follow one another at
 * once give the same bit. 32 idle reads of four cycles let six periods pass. */
enum { IDLE_READS = 32, PAIRS_MAX = 1000 };

static uint32_t raw_bit(void *rosc) {
    for (int i = 0; i < IDLE_READS; ++i) {
        (void)sotto_register_read(rosc, STATUS);
    }
    return sotto_register_read(rosc, RANDOMBIT) & 1u;
}

/* Von Neumann (1951): of two unequal bits the first. */
static int32_t take_bit(void *rosc, uint8_t *bit) {
    for (int i = 0; i < PAIRS_MAX; ++i) {
        const uint32_t first = raw_bit(rosc);
        if (first != raw_bit(rosc)) {
            *bit = (uint8_t)first;
            return SOTTO_OK;
        }
    }
    return SOTTO_ERR_ENTROPY_STUCK;
}

static int32_t take(void *rosc, uint8_t *samples, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if ((sotto_register_read(rosc, STATUS) & STATUS_RUNS) != STATUS_RUNS) {
            return SOTTO_ERR_ENTROPY_FAILED;
        }
        const int32_t answer = take_bit(rosc, &samples[i]);
        if (answer != SOTTO_OK) {
            return answer;
        }
    }
    return (int32_t)count;
}

sotto_entropy sotto_rp2040_entropy_at(void *bank) {
    sotto_entropy source = sotto_rp2040_entropy;
    source.context = bank;
    return source;
}

const sotto_entropy sotto_rp2040_entropy = {.context = ROSC_BANK,
                                            .read = take,
                                            .source = SOTTO_SOURCE_RAW,
                                            .sample_bits = 1,
                                            .min_entropy_millibits = 200};
