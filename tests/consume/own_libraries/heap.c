/* SPDX-License-Identifier: Apache-2.0 */
/* The heap that a firmware with a stock Mbed TLS has. */
#include <stddef.h>
#include <stdint.h>

void *_sbrk(ptrdiff_t more);

void *_sbrk(ptrdiff_t more) {
    static uint8_t heap[32768];
    static ptrdiff_t used;
    uint8_t *const block = heap + used;
    if (more > (ptrdiff_t)sizeof heap - used) {
        return (void *)-1;
    }
    used += more;
    return block;
}
