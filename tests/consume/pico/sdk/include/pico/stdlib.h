/* SPDX-License-Identifier: Apache-2.0 */
/* As much of pico-sdk's header as a program uses. */
#pragma once
#include "pico.h"
bool stdio_init_all(void);
