/* SPDX-License-Identifier: Apache-2.0 */
/* As much of pico-sdk's header as a program uses. */
#pragma once
#include "pico.h"
#define RESETS_RESET_TRNG_BITS 0x02000000u
void unreset_block_wait(uint32_t bits);
