/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A clock that stands for the instructions executed: under qemu -icount shift=0 each takes a
 * nanosecond. Cortex-M: SysTick, 24 bits, at the board's clock. RISC-V: the instructions
 * themselves.
 */
#ifndef SOTTO_MEASURE_TICKS_H
#define SOTTO_MEASURE_TICKS_H

#include <stdint.h>

#if defined(__riscv)
static inline void start_ticks(void) {}
static inline uint32_t ticks_now(void) {
    uint32_t count;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, minstret\n.option pop"
                     : "=r"(count)
                     :
                     : "memory");
    return count;
}
static inline uint32_t ticks_at_next(void) { return ticks_now(); }
static inline uint32_t ticks_between(uint32_t begin, uint32_t end) { return end - begin; }
#else
static inline void start_ticks(void) {
    volatile uint32_t *const timer = (volatile uint32_t *)0xE000E010u;
    timer[1] = 0xffffff; /* from here down to 0, and again */
    timer[2] = 0;
    timer[0] = 5; /* on, the processor's clock, no interrupt */
}
static inline uint32_t ticks_now(void) { return *(volatile uint32_t *)0xE000E018u; }
/* When the clock has just ticked, so that what follows begins at the same point of a tick. */
static inline uint32_t ticks_at_next(void) {
    const uint32_t before = ticks_now();
    uint32_t now = before;
    while (now == before) {
        now = ticks_now();
    }
    return now;
}
static inline uint32_t ticks_between(uint32_t begin, uint32_t end) {
    return (begin - end) & 0xffffff;
}
#endif

#endif
