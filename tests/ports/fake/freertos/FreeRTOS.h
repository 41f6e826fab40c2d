/* SPDX-License-Identifier: Apache-2.0 */
/* As much of ESP-IDF's header as the port uses. */
#define pdTRUE 1
#define portMAX_DELAY 0xffffffffUL
int xPortInIsrContext(void);
