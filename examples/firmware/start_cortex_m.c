/* SPDX-License-Identifier: Apache-2.0 */
/* Vector table and start-up for any Cortex-M. */
#include "semihosting.h"

extern uint32_t data_begin[], data_end[], data_source[], bss_begin[], bss_end[], stack_top[];
int main(void);
void start(void);

enum { EXIT_FAULT = 3 };

static void fault(void) {
    host_print("fault\n");
    host_exit(EXIT_FAULT);
}

/* SysTick's interrupt: a program that wants it has its own. */
void tick(void) __attribute__((weak, alias("fault")));

void start(void) {
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20; /* CPACR: access to the floating-point unit */
    __asm__ volatile("dsb\nisb");
#endif
    const uint32_t *from = data_source;
    for (uint32_t *place = data_begin; place < data_end;) {
        *place++ = *from++;
    }
    for (uint32_t *place = bss_begin; place < bss_end;) {
        *place++ = 0;
    }
    host_exit(main());
}

typedef void (*vector)(void);

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    vector handlers[15];
} vectors = {stack_top,
             {start, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault,
              fault, fault, tick}};
