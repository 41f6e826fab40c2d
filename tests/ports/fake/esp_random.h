/* SPDX-License-Identifier: Apache-2.0 */
/* As much of ESP-IDF's header as the port uses. */
#include <stddef.h>
void esp_fill_random(void *bytes, size_t length);
