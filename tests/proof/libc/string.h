/* SPDX-License-Identifier: Apache-2.0 */
/* As much as nanopb's header asks for; nothing calls them here. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *memcpy(void *target, const void *from, size_t length_bytes);
void *memset(void *target, int value, size_t length_bytes);
size_t strlen(const char *text);

#ifdef __cplusplus
}
#endif
#endif
