/* SPDX-License-Identifier: Apache-2.0 */
/* As much of ESP-IDF's header as an example uses. */
#pragma once
#include "nvs.h"
esp_err_t nvs_flash_init(void);
