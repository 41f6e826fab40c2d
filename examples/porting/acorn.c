/* SPDX-License-Identifier: Apache-2.0 */
/* The Acorn's random generator and its flash, by the two pages of its manual that matter. */
#include "acorn.h"

#include <string.h>

static volatile uint32_t *reg(uint32_t address) { return (volatile uint32_t *)(uintptr_t)address; }

/* --- Random generator: a byte at a time; START, then VALRDY says that VALUE is new. */
enum {
    RNG_START = 0x4000D000,
    RNG_STOP = 0x4000D004,
    RNG_VALRDY = 0x4000D100,
    RNG_VALUE = 0x4000D508
};

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    size_t have = 0;
    *reg(RNG_VALRDY) = 0;
    *reg(RNG_START) = 1;
    for (uint32_t polls = 0; have < length_bytes && polls < 1000000; ++polls) {
        if (*reg(RNG_VALRDY) != 0) {
            bytes[have++] = (uint8_t)*reg(RNG_VALUE);
            *reg(RNG_VALRDY) = 0;
            polls = 0;
        }
    }
    *reg(RNG_STOP) = 1;
    return have == length_bytes ? (int32_t)have : SOTTO_ERR_ENTROPY_TIMEOUT;
}

/* Its manual promises no distribution: half of the bits is what we claim. */
const sotto_entropy acorn_entropy = {
    .read = take, .source = SOTTO_SOURCE_RAW, .sample_bits = 8, .min_entropy_millibits = 4000};

/* --- Flash: the last 8 kB, in blocks of 1 kB and words of 32 bits. CONFIG says what writes do. */
enum { FLASH_READY = 0x4001E400, FLASH_CONFIG = 0x4001E504, FLASH_ERASE = 0x4001E508 };
enum { READ_ONLY = 0, WRITE = 1, ERASE = 2 };
enum { BLOCK_BYTES = 1024, PAGE_BYTES = 4 * BLOCK_BYTES, UNIT_BYTES = 4, FIRST_PAGE = 0x3E000 };

static uint32_t address_of(uint32_t page, uint32_t offset) {
    return FIRST_PAGE + page * PAGE_BYTES + offset;
}

static sotto_status wait_ready(void) {
    for (uint32_t polls = 0; polls < 1000000; ++polls) {
        if (*reg(FLASH_READY) != 0) {
            return SOTTO_OK;
        }
    }
    return SOTTO_ERR_STORAGE;
}

static sotto_status change(uint32_t how, uint32_t address, uint32_t value) {
    *reg(FLASH_CONFIG) = how;
    *reg(address) = value;
    const sotto_status status = wait_ready();
    *reg(FLASH_CONFIG) = READ_ONLY;
    return status;
}

static sotto_status erase(void *context, uint32_t page) {
    (void)context;
    sotto_status status = SOTTO_OK;
    for (uint32_t at = 0; at < PAGE_BYTES && !SOTTO_FAILED(status); at += BLOCK_BYTES) {
        status = change(ERASE, FLASH_ERASE, address_of(page, at));
    }
    return status;
}

static sotto_status program(void *context, uint32_t page, uint32_t offset, const uint8_t *unit) {
    (void)context;
    uint32_t word;
    memcpy(&word, unit, sizeof word);
    return change(WRITE, address_of(page, offset), word);
}

static sotto_status read(void *context, uint32_t page, uint32_t offset, uint8_t *bytes,
                         size_t length_bytes) {
    (void)context;
    memcpy(bytes, (const uint8_t *)(uintptr_t)address_of(page, offset), length_bytes);
    return SOTTO_OK;
}

const sotto_flash_driver acorn_flash = {.page_bytes = PAGE_BYTES,
                                        .unit_bytes = UNIT_BYTES,
                                        .erase = erase,
                                        .program = program,
                                        .read = read};
