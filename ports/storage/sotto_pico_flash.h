/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of sotto_flash for a Pico: two sectors of its flash chip, by pico-sdk's own functions.
 */
#ifndef SOTTO_PICO_FLASH_H
#define SOTTO_PICO_FLASH_H

#include "sotto_flash.h"

#include <hardware/flash.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Offset of the two sectors in the flash, in bytes: the last two. RP2350 leaves the last one free,
 * for the workaround of its erratum E10. BTstack stores its keys in the same place: with it, choose
 * another.
 */
#ifndef SOTTO_PICO_FLASH_OFFSET
#if PICO_RP2350
#define SOTTO_PICO_FLASH_OFFSET (PICO_FLASH_SIZE_BYTES - 3 * FLASH_SECTOR_SIZE)
#else
#define SOTTO_PICO_FLASH_OFFSET (PICO_FLASH_SIZE_BYTES - 2 * FLASH_SECTOR_SIZE)
#endif
#endif

enum { SOTTO_PICO_FLASH_UNIT_BYTES = 32 };

/* Interrupts are off meanwhile: 50 ms for an erase, a millisecond for a unit. Errors: STORAGE (the
 * other core uses the flash and can't be stopped: call flash_safe_execute_core_init() there). */
extern const sotto_flash_driver sotto_pico_flash;

#ifdef __cplusplus
}
#endif
#endif
