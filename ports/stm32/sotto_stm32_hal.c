/* SPDX-License-Identifier: Apache-2.0 */
/* STM32Cube HAL drivers: stm32*_hal_rng.h. */
#include "sotto_stm32_hal.h"

enum { TRIES_MAX = 3 };

/* The HAL of older families hands out a word without a look at the seed error. */
static int is_sound(RNG_HandleTypeDef *rng, uint32_t word) {
    return word != 0 && !__HAL_RNG_GET_FLAG(rng, RNG_FLAG_SECS) &&
           !__HAL_RNG_GET_IT(rng, RNG_IT_SEI);
}

static void restart(RNG_HandleTypeDef *rng) {
    __HAL_RNG_CLEAR_IT(rng, RNG_IT_SEI);
    __HAL_RNG_DISABLE(rng);
    __HAL_RNG_ENABLE(rng);
}

static int32_t take_word(RNG_HandleTypeDef *rng, uint32_t *word) {
    for (int i = 0; i < TRIES_MAX; ++i) {
        if (HAL_RNG_GenerateRandomNumber(rng, word) == HAL_OK && is_sound(rng, *word)) {
            return SOTTO_OK;
        }
        *word = 0;
        restart(rng);
    }
    return SOTTO_ERR_ENTROPY_FAILED;
}

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    RNG_HandleTypeDef *const rng = (RNG_HandleTypeDef *)context;
    uint32_t word = 0;
    /* The first word behind a start is not for use. */
    int32_t answer = take_word(rng, &word);
    for (size_t i = 0; answer == SOTTO_OK && i < length_bytes; ++i) {
        if (i % 4 == 0) {
            answer = take_word(rng, &word);
        }
        bytes[i] = (uint8_t)(word >> (8 * (i % 4)));
    }
    return answer == SOTTO_OK ? (int32_t)length_bytes : answer;
}

sotto_entropy sotto_stm32_hal_entropy(RNG_HandleTypeDef *rng) {
    const sotto_entropy source = {.context = rng, .read = take, .source = SOTTO_SOURCE_CONDITIONED};
    return source;
}
