/* SPDX-License-Identifier: Apache-2.0 */
/* As much of pico-sdk's header as the others use: a Pico, or a Pico 2. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef PICO_RP2350
#define PICO_RP2350 0
#define PICO_FLASH_SIZE_BYTES (2 * 1024 * 1024)
#else
#define PICO_FLASH_SIZE_BYTES (4 * 1024 * 1024)
#endif
extern uint8_t stand_in_flash[PICO_FLASH_SIZE_BYTES];
#define XIP_BASE ((uintptr_t)stand_in_flash)
enum { PICO_OK = 0, PICO_ERROR_TIMEOUT = -1, PICO_ERROR_NOT_PERMITTED = -4 };
