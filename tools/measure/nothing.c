/* SPDX-License-Identifier: Apache-2.0 */
/* A board's start-up alone; client_size.c is larger by the client. It never runs. */
#include <stddef.h>

/* Instead of the library's, which count as the client's. */
void *memcpy(void *target, const void *from, size_t length_bytes);
void *memset(void *target, int byte, size_t length_bytes);
void *memcpy(void *target, const void *from, size_t length_bytes) {
    return (void)from, (void)length_bytes, target;
}
void *memset(void *target, int byte, size_t length_bytes) {
    return (void)byte, (void)length_bytes, target;
}

int main(void) { return 0; }
