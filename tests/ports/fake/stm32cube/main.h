/* SPDX-License-Identifier: Apache-2.0 */
/* As much of STM32Cube's HAL as the port uses, after stm32f4xx_hal_rng.h and stm32u5xx_hal_rng.h.
 */
#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { HAL_OK = 0, HAL_ERROR, HAL_BUSY, HAL_TIMEOUT } HAL_StatusTypeDef;
typedef struct {
    volatile uint32_t CR, SR, DR;
} RNG_TypeDef;
typedef struct {
    RNG_TypeDef *Instance;
} RNG_HandleTypeDef;
#define RNG_CR_RNGEN (1u << 2)
#define RNG_FLAG_SECS (1u << 2)
#define RNG_IT_SEI (1u << 6)
#define __HAL_RNG_GET_FLAG(handle, flag) (((handle)->Instance->SR & (flag)) == (flag))
#define __HAL_RNG_GET_IT(handle, flag) (((handle)->Instance->SR & (flag)) == (flag))
#define __HAL_RNG_CLEAR_IT(handle, flag) write_status(handle, ~(flag))
#define __HAL_RNG_DISABLE(handle) ((handle)->Instance->CR &= ~RNG_CR_RNGEN)
#define __HAL_RNG_ENABLE(handle) enable(handle)
void write_status(RNG_HandleTypeDef *rng, uint32_t value); /* 0 clears, 1 leaves */
void enable(RNG_HandleTypeDef *rng);
HAL_StatusTypeDef HAL_RNG_GenerateRandomNumber(RNG_HandleTypeDef *hrng, uint32_t *random32bit);
#ifdef __cplusplus
}
#endif
