/* SPDX-License-Identifier: Apache-2.0 */
/* How deep calls go: paints the memory below the present frame, and looks what was overwritten. */
#ifndef SOTTO_MEASURE_STACK_H
#define SOTTO_MEASURE_STACK_H

#include <stdint.h>

enum { stack_words = 1536, stack_near_words = 16 };

#if defined(__riscv) || defined(__arm__)
static inline uint32_t *stack_now(void) {
    uint32_t *here;
#if defined(__riscv)
    __asm__ volatile("mv %0, sp" : "=r"(here));
#else
    __asm__ volatile("mov %0, sp" : "=r"(here));
#endif
    return here;
}

static inline void paint_stack(void) {
    uint32_t *const top = stack_now() - stack_near_words;
    for (uint32_t *p = top + stack_near_words - stack_words; p < top; ++p) {
        *p = 0xa5a5a5a5u;
    }
}

/* In bytes, since it was painted in the same function. */
static inline uint32_t stack_used(void) {
    uint32_t *const here = stack_now();
    uint32_t *p = here - stack_words;
    while (*p == 0xa5a5a5a5u) {
        ++p;
    }
    return (uint32_t)((uintptr_t)here - (uintptr_t)p);
}

/* Words deeper than so many bytes that hold neither paint nor zero. */
static inline uint32_t stack_left(uint32_t below_bytes) {
    uint32_t *const here = stack_now();
    uint32_t left = 0;
    for (uint32_t *p = here - stack_words; p < here - below_bytes / 4; ++p) {
        left += *p != 0xa5a5a5a5u && *p != 0;
    }
    return left;
}
#else /* the host's stack is of no interest */
static inline void paint_stack(void) {}
static inline uint32_t stack_used(void) { return 0; }
#endif

#endif
