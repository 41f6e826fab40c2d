/* SPDX-License-Identifier: Apache-2.0 */
/* SysTick, which each of the emulated Cortex-M has. */
#include "ticks.h"

#include <stdint.h>

enum { CYCLES = 5000, ENABLE = 1, INTERRUPT = 2, PROCESSOR_CLOCK = 4 };

struct systick {
    uint32_t control, reload, now;
};

void ticks_start(void) {
    volatile struct systick *const timer = (volatile struct systick *)0xE000E010u;
    timer->reload = CYCLES - 1;
    timer->now = 0;
    timer->control = ENABLE | INTERRUPT | PROCESSOR_CLOCK;
}

void ticks_wait(void) { __asm__ volatile("wfi" ::: "memory"); }
