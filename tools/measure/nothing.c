/* SPDX-License-Identifier: Apache-2.0 */
/* A board's start-up alone; client_size.c is larger by the client. It never runs. */
#include <stddef.h>

/* Instead of the library's, which count as the client's. */
void *memcpy(void *to, const void *from, size_t length_bytes);
void *memset(void *to, int byte, size_t length_bytes);
void *memcpy(void *to, const void *from, size_t length_bytes) {
    return (void)from, (void)length_bytes, to;
}
void *memset(void *to, int byte, size_t length_bytes) { return (void)byte, (void)length_bytes, to; }

int main(void) { return 0; }
