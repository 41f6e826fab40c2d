/* SPDX-License-Identifier: Apache-2.0 */
/* As much of Zephyr's header as the port uses. */
#include <stddef.h>
int sys_csrand_get(void *bytes, size_t length);
