/* SPDX-License-Identifier: Apache-2.0 */
/* pico-sdk 2: hardware/flash.h, pico/flash.h. */
#include "sotto_pico_flash.h"

#include <pico/flash.h>

enum { OTHER_CORE_WAIT_MS = 1000 };

typedef struct page_job {
    uint32_t offset;
    uint8_t bytes[FLASH_PAGE_SIZE];
} page_job;

static uint32_t place(uint32_t page, uint32_t offset) {
    return SOTTO_PICO_FLASH_OFFSET + page * FLASH_SECTOR_SIZE + offset;
}

static sotto_status safely(void (*function)(void *), void *parameter) {
    return flash_safe_execute(function, parameter, OTHER_CORE_WAIT_MS) == PICO_OK
               ? SOTTO_OK
               : SOTTO_ERR_STORAGE;
}

static void erase_sector(void *offset) {
    flash_range_erase(*(const uint32_t *)offset, FLASH_SECTOR_SIZE);
}

static sotto_status erase(void *context, uint32_t page) {
    (void)context;
    uint32_t offset = place(page, 0);
    return safely(erase_sector, &offset);
}

static void program_page(void *job) {
    const page_job *const page = (const page_job *)job;
    flash_range_program(page->offset, page->bytes, FLASH_PAGE_SIZE);
}

/* The chip programs 256 bytes: those that are 0xff stay as they are. The unit may be secret. */
static sotto_status program(void *context, uint32_t page, uint32_t offset, const uint8_t *unit) {
    (void)context;
    const uint32_t first = offset % FLASH_PAGE_SIZE;
    page_job job = {.offset = place(page, offset - first)};
    volatile uint8_t *const bytes = job.bytes;
    for (uint32_t i = 0; i < FLASH_PAGE_SIZE; ++i) {
        const uint32_t at = i - first;
        bytes[i] = at < SOTTO_PICO_FLASH_UNIT_BYTES ? unit[at] : 0xff;
    }
    const sotto_status status = safely(program_page, &job);
    for (uint32_t i = 0; i < FLASH_PAGE_SIZE; ++i) {
        bytes[i] = 0;
    }
    return status;
}

static sotto_status read(void *context, uint32_t page, uint32_t offset, uint8_t *bytes,
                         size_t length_bytes) {
    (void)context;
    const uint8_t *const flash = (const uint8_t *)(XIP_BASE + place(page, offset));
    for (size_t i = 0; i < length_bytes; ++i) {
        bytes[i] = flash[i];
    }
    return SOTTO_OK;
}

const sotto_flash_driver sotto_pico_flash = {.page_bytes = FLASH_SECTOR_SIZE,
                                             .unit_bytes = SOTTO_PICO_FLASH_UNIT_BYTES,
                                             .erase = erase,
                                             .program = program,
                                             .read = read};
