/* SPDX-License-Identifier: Apache-2.0 */
/* RP2350 Datasheet, 12.12 (TRNG). */
#include "sotto_rp2350.h"

#include "../registers.h"

#define TRNG_BANK ((void *)(uintptr_t)0x400F0000u)

enum {
    RNG_ISR = 0x104,
    RNG_ICR = 0x108,
    TRNG_CONFIG = 0x10c,
    EHR_DATA0 = 0x114,
    RND_SOURCE_ENABLE = 0x12c,
    SAMPLE_CNT1 = 0x130,
    TRNG_DEBUG_CONTROL = 0x138,
    TRNG_SW_RESET = 0x140
};

#define ISR_EHR_VALID (1u << 0)
#define ISR_ERRORS (7u << 1) /* autocorrelation, CRNGT, von Neumann */
#define ISR_ALL (15u << 0)

enum { EHR_WORDS = 6, POLLS_MAX = 20000000, ERRORS_MAX = 32 };

/* Clock cycles from sample to sample: the datasheet has 20 to 25 for speed, and says that with 100
 * the checks fail less often. */
enum { SAMPLE_CYCLES = 100 };

/* After a failed autocorrelation only a reset brings it back, so every start begins with one. */
static int32_t start(void *trng) {
    sotto_register_write(trng, TRNG_SW_RESET, 1);
    (void)sotto_register_read(trng, TRNG_SW_RESET); /* the reset takes a moment */
    (void)sotto_register_read(trng, TRNG_SW_RESET);
    sotto_register_write(trng, RND_SOURCE_ENABLE, 0);
    sotto_register_write(trng, TRNG_DEBUG_CONTROL, 0); /* no check is bypassed */
    sotto_register_write(trng, TRNG_CONFIG, 0);
    sotto_register_write(trng, SAMPLE_CNT1, SAMPLE_CYCLES);
    if (sotto_register_read(trng, TRNG_DEBUG_CONTROL) != 0) {
        return SOTTO_ERR_ENTROPY_WEAK;
    }
    sotto_register_write(trng, RNG_ICR, ISR_ALL);
    sotto_register_write(trng, RND_SOURCE_ENABLE, 1);
    return SOTTO_OK;
}

/* Waits for 192 bits that passed the checks. */
static int32_t take_block(void *trng, uint32_t block[EHR_WORDS]) {
    for (int errors = 0; errors < ERRORS_MAX; ++errors) {
        uint32_t polls = 0;
        uint32_t now = sotto_register_read(trng, RNG_ISR);
        while ((now & ISR_ALL) == 0 && ++polls < POLLS_MAX) {
            now = sotto_register_read(trng, RNG_ISR);
        }
        if (polls == POLLS_MAX) {
            return SOTTO_ERR_ENTROPY_TIMEOUT;
        }
        uint32_t any = 0, changed = 0;
        for (uint32_t i = 0; i < EHR_WORDS; ++i) { /* the last read clears all and starts anew */
            const uint32_t word = sotto_register_read(trng, EHR_DATA0 + 4 * i);
            any |= word;
            changed |= word ^ block[i];
            block[i] = word;
        }
        /* All zero is what a failed block reads as. */
        const uint32_t failed = (now | sotto_register_read(trng, RNG_ISR)) & ISR_ERRORS;
        if (failed == 0 && any != 0) {
            sotto_register_write(trng, RNG_ICR, ISR_EHR_VALID);
            return changed != 0 ? SOTTO_OK : SOTTO_ERR_ENTROPY_STUCK;
        }
        const int32_t answer = start(trng);
        if (answer != SOTTO_OK) {
            return answer;
        }
    }
    return SOTTO_ERR_ENTROPY_FAILED;
}

static int32_t take(void *trng, uint8_t *samples, size_t count) {
    uint32_t block[EHR_WORDS] = {0};
    int32_t answer = start(trng);
    for (size_t i = 0; answer == SOTTO_OK && i < count; ++i) {
        const size_t at = i % sizeof block;
        if (at == 0) {
            answer = take_block(trng, block);
        }
        samples[i] = (uint8_t)(block[at / 4] >> (8 * (at % 4)));
    }
    sotto_register_write(trng, RND_SOURCE_ENABLE, 0);
    return answer == SOTTO_OK ? (int32_t)count : answer;
}

sotto_entropy sotto_rp2350_entropy_at(void *bank) {
    sotto_entropy source = sotto_rp2350_entropy;
    source.context = bank;
    return source;
}

const sotto_entropy sotto_rp2350_entropy = {.context = TRNG_BANK,
                                            .read = take,
                                            .source = SOTTO_SOURCE_RAW,
                                            .sample_bits = 8,
                                            .min_entropy_millibits = 4000};
