/* SPDX-License-Identifier: Apache-2.0 */
/* Reference manuals RM0090 24 (F4), RM0401 13 (F410), RM0440 26 (G4), RM0453 22 (WL5). */
#include "sotto_stm32.h"

#include "../registers.h"

enum { CR = 0x00, SR = 0x04, DR = 0x08 };

#define CR_RNGEN (1u << 2)
#define CR_CONDRST (1u << 30)
#define SR_DRDY (1u << 0)
#define SR_CECS (1u << 1)
#define SR_SECS (1u << 2)
#define SR_CEIS (1u << 5)
#define SR_SEIS (1u << 6)

enum { POLLS_MAX = 1000000, ERRORS_MAX = 3, PIPELINE_WORDS = 12 };

static uint32_t status(const sotto_stm32 *stm32) { return sotto_register_read(stm32->rng, SR); }

static void change_control(const sotto_stm32 *stm32, uint32_t clear, uint32_t set) {
    const uint32_t control = sotto_register_read(stm32->rng, CR);
    sotto_register_write(stm32->rng, CR, (control & ~clear) | set);
}

/* Interrupt flags go when 0 is written; 1 leaves them. */
static void clear_flag(const sotto_stm32 *stm32, uint32_t flag) {
    sotto_register_write(stm32->rng, SR, (SR_CEIS | SR_SEIS) & ~flag);
}

/* Answers whether the peripheral is free of seed errors again. */
static int recover(const sotto_stm32 *stm32) {
    if (stm32->recovery == SOTTO_STM32_CONDITIONING_RESET) {
        change_control(stm32, 0, CR_CONDRST);
        change_control(stm32, CR_CONDRST, CR_RNGEN);
    } else {
        clear_flag(stm32, SR_SEIS);
        for (int i = 0; i < PIPELINE_WORDS; ++i) {
            (void)sotto_register_read(stm32->rng, DR);
        }
        change_control(stm32, CR_RNGEN, 0);
        change_control(stm32, 0, CR_RNGEN);
    }
    for (uint32_t polls = 0; polls < POLLS_MAX; ++polls) {
        if ((sotto_register_read(stm32->rng, CR) & CR_CONDRST) == 0 &&
            (status(stm32) & (SR_SEIS | SR_SECS)) == 0) {
            return 1;
        }
    }
    return 0;
}

static int32_t take_word(const sotto_stm32 *stm32, uint32_t *word) {
    for (int errors = 0; errors < ERRORS_MAX; ++errors) {
        uint32_t polls = 0;
        uint32_t now = status(stm32);
        while ((now & (SR_DRDY | SR_CECS | SR_SECS | SR_SEIS)) == 0 && ++polls < POLLS_MAX) {
            now = status(stm32);
        }
        if (polls == POLLS_MAX) {
            return SOTTO_ERR_ENTROPY_TIMEOUT;
        }
        if ((now & SR_CECS) != 0) { /* too slow a clock: nothing that a driver could mend */
            return SOTTO_ERR_ENTROPY_FAILED;
        }
        if ((now & SR_CEIS) != 0) { /* was slow, and is no more */
            clear_flag(stm32, SR_CEIS);
        }
        if ((now & (SR_SECS | SR_SEIS)) == 0) {
            *word = sotto_register_read(stm32->rng, DR);
            /* 0, or a flag by now: the seed error came between the poll and the read. */
            if (*word != 0 && (status(stm32) & (SR_SECS | SR_SEIS)) == 0) {
                return SOTTO_OK;
            }
        }
        *word = 0;
        if (!recover(stm32)) {
            return SOTTO_ERR_ENTROPY_FAILED;
        }
    }
    return SOTTO_ERR_ENTROPY_FAILED;
}

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    const sotto_stm32 *const stm32 = (const sotto_stm32 *)context;
    const uint32_t was_enabled = sotto_register_read(stm32->rng, CR) & CR_RNGEN;
    uint32_t word = 0;
    change_control(stm32, 0, CR_RNGEN);
    /* The first word behind a start is not for use. */
    int32_t answer = take_word(stm32, &word);
    for (size_t i = 0; answer == SOTTO_OK && i < length_bytes; ++i) {
        if (i % 4 == 0) {
            answer = take_word(stm32, &word);
        }
        bytes[i] = (uint8_t)(word >> (8 * (i % 4)));
    }
    if (was_enabled == 0) {
        change_control(stm32, CR_RNGEN, 0);
    }
    return answer == SOTTO_OK ? (int32_t)length_bytes : answer;
}

sotto_entropy sotto_stm32_entropy(const sotto_stm32 *stm32) {
    const sotto_entropy source = {
        .context = (void *)(uintptr_t)stm32, .read = take, .source = SOTTO_SOURCE_CONDITIONED};
    return source;
}
