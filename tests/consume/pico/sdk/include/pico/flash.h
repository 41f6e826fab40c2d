/* SPDX-License-Identifier: Apache-2.0 */
/* As much of pico-sdk's header as the driver uses. */
#pragma once
#include "hardware/flash.h"
int flash_safe_execute(void (*func)(void *), void *param, uint32_t enter_exit_timeout_ms);
