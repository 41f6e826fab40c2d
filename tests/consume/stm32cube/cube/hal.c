/* SPDX-License-Identifier: Apache-2.0 */
/* RNG and flash of an STM32G4 on the host. The flash is the file `flash`, at its own address. */
#define _DEFAULT_SOURCE
#include "main.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

enum { FLASH_BYTES = 512 * 1024, PAGE_BYTES = 2048 };

RNG_TypeDef stand_in_rng;
static bool is_unlocked;

/* A new file is all zeros, which no flash is: it counts as erased. */
HAL_StatusTypeDef HAL_Init(void) {
    const int file = open("flash", O_RDWR | O_CREAT, 0600);
    const bool is_new = lseek(file, 0, SEEK_END) == 0;
    void *const place = (void *)(uintptr_t)FLASH_BASE;
    if (ftruncate(file, FLASH_BYTES) != 0 ||
        mmap(place, FLASH_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file,
             0) != place) {
        return HAL_ERROR;
    }
    if (is_new) {
        memset(place, 0xff, FLASH_BYTES);
    }
    return HAL_OK;
}

HAL_StatusTypeDef HAL_RNG_Init(RNG_HandleTypeDef *hrng) {
    __HAL_RNG_ENABLE(hrng);
    return HAL_OK;
}

HAL_StatusTypeDef HAL_RNG_GenerateRandomNumber(RNG_HandleTypeDef *hrng, uint32_t *random32bit) {
    if (hrng->Instance != RNG || (hrng->Instance->CR & RNG_CR_RNGEN) == 0) {
        return HAL_ERROR;
    }
    return getrandom(random32bit, sizeof *random32bit, 0) == sizeof *random32bit ? HAL_OK
                                                                                 : HAL_ERROR;
}

HAL_StatusTypeDef HAL_FLASH_Unlock(void) {
    is_unlocked = true;
    return HAL_OK;
}
HAL_StatusTypeDef HAL_FLASH_Lock(void) {
    is_unlocked = false;
    return HAL_OK;
}

/* With ECC a double word is programmed once, or again with zeros. */
HAL_StatusTypeDef HAL_FLASH_Program(uint32_t TypeProgram, uint32_t Address, uint64_t Data) {
    volatile uint64_t *const word = (volatile uint64_t *)(uintptr_t)Address;
    if (!is_unlocked || TypeProgram != FLASH_TYPEPROGRAM_DOUBLEWORD || Address % 8 != 0 ||
        (*word != UINT64_MAX && Data != 0)) {
        return HAL_ERROR;
    }
    *word &= Data;
    return HAL_OK;
}

HAL_StatusTypeDef HAL_FLASHEx_Erase(FLASH_EraseInitTypeDef *pEraseInit, uint32_t *PageError) {
    *PageError = UINT32_MAX;
    if (!is_unlocked || pEraseInit->Page >= FLASH_BYTES / PAGE_BYTES) {
        return HAL_ERROR;
    }
    memset((void *)(uintptr_t)(FLASH_BASE + pEraseInit->Page * PAGE_BYTES), 0xff,
           pEraseInit->NbPages * PAGE_BYTES);
    return HAL_OK;
}

void Error_Handler(void) { exit(3); }
