/* SPDX-License-Identifier: Apache-2.0 */
/* An STM32G4 at a door says, with noise, whether it was opened today. */
#include "main.h"
#include "metrics.h"
#include "sotto_flash.h"
#include "sotto_stm32_hal.h"

#include <stdio.h>
#include <string.h>

/* The last two pages of a flash of 512 kB in one bank. */
enum { PAGE_BYTES = 2048, FIRST_PAGE = 254, UNIT_BYTES = 8 };
_Static_assert(PAGE_BYTES >= SOTTO_FLASH_PAGE_BYTES_MIN(DOOR_STATE_BYTES, UNIT_BYTES),
               "take larger pages");

static uint32_t address(uint32_t page, uint32_t offset) {
    return FLASH_BASE + (FIRST_PAGE + page) * PAGE_BYTES + offset;
}

static sotto_status erase(void *context, uint32_t page) {
    (void)context;
    FLASH_EraseInitTypeDef pages = {.TypeErase = FLASH_TYPEERASE_PAGES,
                                    .Banks = FLASH_BANK_1,
                                    .Page = FIRST_PAGE + page,
                                    .NbPages = 1};
    uint32_t failed = 0;
    HAL_FLASH_Unlock();
    const HAL_StatusTypeDef status = HAL_FLASHEx_Erase(&pages, &failed);
    HAL_FLASH_Lock();
    return status == HAL_OK ? SOTTO_OK : SOTTO_ERR_STORAGE;
}

static sotto_status program(void *context, uint32_t page, uint32_t offset, const uint8_t *unit) {
    (void)context;
    uint64_t bytes;
    memcpy(&bytes, unit, sizeof bytes);
    HAL_FLASH_Unlock();
    const HAL_StatusTypeDef status =
        HAL_FLASH_Program(FLASH_TYPEPROGRAM_DOUBLEWORD, address(page, offset), bytes);
    HAL_FLASH_Lock();
    return status == HAL_OK ? SOTTO_OK : SOTTO_ERR_STORAGE;
}

static sotto_status read(void *context, uint32_t page, uint32_t offset, uint8_t *bytes,
                         size_t length_bytes) {
    (void)context;
    memcpy(bytes, (const void *)(uintptr_t)address(page, offset), length_bytes);
    return SOTTO_OK;
}

static const sotto_flash_driver driver = {.page_bytes = PAGE_BYTES,
                                          .unit_bytes = UNIT_BYTES,
                                          .erase = erase,
                                          .program = program,
                                          .read = read};
static uint8_t unit[UNIT_BYTES];
static sotto_flash flash = {.driver = &driver, .unit = unit};
static door_client device; /* all the memory there is, but for the unit */
RNG_HandleTypeDef hrng;

static sotto_status report(bool is_open, uint8_t *batch, size_t capacity, size_t *length) {
    sotto_status status = sotto_advance(&device.client, 0); /* day 0: count days by your clock */
    if (!SOTTO_FAILED(status)) {
        status = sotto_report_boolean(&device.client, DOOR_OPEN, is_open);
    }
    return SOTTO_FAILED(status) ? status : sotto_flush(&device.client, batch, capacity, length);
}

static void MX_RNG_Init(void) {
    hrng.Instance = RNG;
    if (HAL_RNG_Init(&hrng) != HAL_OK) {
        Error_Handler();
    }
}

int main(void) {
    static uint8_t batch[DOOR_FLUSH_BYTES_MIN];
    static sotto_entropy entropy;
    static const sotto_port port = {.context = &flash,
                                    .load = sotto_flash_load,
                                    .store = sotto_flash_store,
                                    .entropy = &entropy};
    size_t length = 0;
    HAL_Init();
    MX_RNG_Init();
    entropy = sotto_stm32_hal_entropy(&hrng);
    sotto_status status = door_init(&device, &port);
    if (!SOTTO_FAILED(status)) {
        status = report(true, batch, sizeof batch, &length);
    }
    if (SOTTO_FAILED(status)) {
        printf("sotto: %s\n", sotto_status_text(status));
        return 1;
    }
    printf("sealed batch: %u bytes\n", (unsigned)length); /* any transport will do */
    return 0;
}
