/* SPDX-License-Identifier: Apache-2.0 */
/* A Pico's flash, in the file `flash`, and the random registers of its chip. A call that would harm
 * a real one ends the program. */
#include "hardware/flash.h"
#include "hardware/resets.h"
#include "pico/flash.h"
#include "pico/stdlib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

uint8_t stand_in_flash[PICO_FLASH_SIZE_BYTES];
static bool is_safe;
static uint32_t out_of_reset;

static void must(bool holds, const char *text) {
    if (!holds) {
        puts(text);
        exit(3);
    }
}

static void save(void) {
    FILE *const file = fopen("flash", "wb");
    must(file && fwrite(stand_in_flash, sizeof stand_in_flash, 1, file) == 1, "no file");
    (void)fclose(file);
}

bool stdio_init_all(void) {
    memset(stand_in_flash, 0xff, sizeof stand_in_flash);
    FILE *const file = fopen("flash", "rb");
    if (file) {
        must(fread(stand_in_flash, sizeof stand_in_flash, 1, file) == 1, "a short file");
        (void)fclose(file);
    }
    return atexit(save) == 0;
}

static void check_range(uint32_t offset, size_t count, uint32_t size) {
    must(is_safe, "flash is written while code runs from it");
    must(offset % size == 0 && count % size == 0, "not aligned");
    must(offset >= PICO_FLASH_SIZE_BYTES / 2 && offset + count <= PICO_FLASH_SIZE_BYTES,
         "the program's own place");
    must(!PICO_RP2350 || offset + count <= PICO_FLASH_SIZE_BYTES - FLASH_SECTOR_SIZE,
         "the last sector is not ours");
}

void flash_range_erase(uint32_t flash_offs, size_t count) {
    check_range(flash_offs, count, FLASH_SECTOR_SIZE);
    memset(stand_in_flash + flash_offs, 0xff, count);
}

void flash_range_program(uint32_t flash_offs, const uint8_t *data, size_t count) {
    check_range(flash_offs, count, FLASH_PAGE_SIZE);
    for (size_t i = 0; i < count; ++i) {
        stand_in_flash[flash_offs + i] &= data[i];
    }
}

int flash_safe_execute(void (*func)(void *), void *param, uint32_t enter_exit_timeout_ms) {
    must(enter_exit_timeout_ms > 0, "no time");
    is_safe = true;
    func(param);
    is_safe = false;
    return PICO_OK;
}

void unreset_block_wait(uint32_t bits) { out_of_reset |= bits; }

static uint32_t random_word(void) {
    uint32_t word = 0;
    must(getrandom(&word, sizeof word, 0) == sizeof word, "no random bytes");
    return word;
}

/* ROSC of RP2040: STATUS, RANDOMBIT. TRNG of RP2350: RNG_ISR, EHR_DATA0 to 5. */
uint32_t sotto_register_read(void *bank, uint32_t offset_bytes) {
    if ((uintptr_t)bank == 0x40060000u) {
        return offset_bytes == 0x18 ? 0x80001000u : random_word() & 1u;
    }
    must((uintptr_t)bank == 0x400f0000u, "no such registers");
    if ((out_of_reset & RESETS_RESET_TRNG_BITS) == 0) {
        return 0;
    }
    if (offset_bytes == 0x104) {
        return 1;
    }
    return offset_bytes >= 0x114 && offset_bytes <= 0x128 ? random_word() : 0;
}
void sotto_register_write(void *bank, uint32_t offset_bytes, uint32_t value) {
    (void)bank, (void)offset_bytes, (void)value;
}
