/* SPDX-License-Identifier: Apache-2.0 */
/* As much of STM32Cube's HAL for STM32G4 as the program uses: RNG and flash. */
#pragma once
#include <stdint.h>
typedef enum { HAL_OK = 0, HAL_ERROR, HAL_BUSY, HAL_TIMEOUT } HAL_StatusTypeDef;
typedef struct {
    volatile uint32_t CR, SR, DR;
} RNG_TypeDef;
typedef struct {
    RNG_TypeDef *Instance;
} RNG_HandleTypeDef;
typedef struct {
    uint32_t TypeErase, Banks, Page, NbPages;
} FLASH_EraseInitTypeDef;
extern RNG_TypeDef stand_in_rng;
#define RNG (&stand_in_rng)
#define RNG_CR_RNGEN (1u << 2)
#define RNG_FLAG_SECS (1u << 2)
#define RNG_IT_SEI (1u << 6)
#define __HAL_RNG_GET_FLAG(handle, flag) (((handle)->Instance->SR & (flag)) == (flag))
#define __HAL_RNG_GET_IT(handle, flag) (((handle)->Instance->SR & (flag)) == (flag))
#define __HAL_RNG_CLEAR_IT(handle, flag) ((handle)->Instance->SR &= ~(flag))
#define __HAL_RNG_DISABLE(handle) ((handle)->Instance->CR &= ~RNG_CR_RNGEN)
#define __HAL_RNG_ENABLE(handle) ((handle)->Instance->CR |= RNG_CR_RNGEN)
#define FLASH_BASE 0x08000000u
#define FLASH_TYPEERASE_PAGES 0u
#define FLASH_TYPEPROGRAM_DOUBLEWORD 0u
#define FLASH_BANK_1 1u
HAL_StatusTypeDef HAL_Init(void);
HAL_StatusTypeDef HAL_RNG_Init(RNG_HandleTypeDef *hrng);
HAL_StatusTypeDef HAL_RNG_GenerateRandomNumber(RNG_HandleTypeDef *hrng, uint32_t *random32bit);
HAL_StatusTypeDef HAL_FLASH_Unlock(void);
HAL_StatusTypeDef HAL_FLASH_Lock(void);
HAL_StatusTypeDef HAL_FLASH_Program(uint32_t TypeProgram, uint32_t Address, uint64_t Data);
HAL_StatusTypeDef HAL_FLASHEx_Erase(FLASH_EraseInitTypeDef *pEraseInit, uint32_t *PageError);
void Error_Handler(void);
