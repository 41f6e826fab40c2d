/* SPDX-License-Identifier: Apache-2.0 */
/* As much of ESP-IDF's header as an example uses. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
void bootloader_random_enable(void);
void bootloader_random_disable(void);
#ifdef __cplusplus
}
#endif
