/* SPDX-License-Identifier: Apache-2.0 */
/* The RNG of STM32 by STM32Cube's HAL, where the HAL owns the peripheral. Otherwise sotto_stm32.h
 * does it by registers. */
#ifndef SOTTO_STM32_HAL_H
#define SOTTO_STM32_HAL_H

#include "sotto/port.h"

#include <main.h> /* CubeMX writes it; it includes the HAL of your family */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * `rng` must outlive the source, be initialised by HAL_RNG_Init, and not be in use elsewhere during
 * a call. Each word is tried three times; HAL_GetTick() must run, since the HAL waits by it.
 * Errors: ENTROPY_FAILED (the HAL fails, or a seed or clock error stays).
 */
sotto_entropy sotto_stm32_hal_entropy(RNG_HandleTypeDef *rng);

#ifdef __cplusplus
}
#endif
#endif
