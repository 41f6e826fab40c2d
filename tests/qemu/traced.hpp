// SPDX-License-Identifier: Apache-2.0
// Markers that trace.py looks for in a program, and controls that it must catch.
#ifndef TRACED_HPP
#define TRACED_HPP

#include <stdint.h>

namespace {

constexpr uint32_t runs = 6;
uint8_t noise[1024];
volatile uint32_t sink;
volatile uint32_t divisor = 5;

// Nothing, everything, and numbers.
void fill(uint32_t run) {
    uint32_t state = run;
    for (uint8_t &byte : noise) {
        state = state * 1664525u + 1013904223u;
        byte = static_cast<uint8_t>(run == 0 ? 0 : run == 1 ? 0xff : state >> 24);
    }
}

} // namespace

extern "C" {

__attribute__((noinline)) void trace_begin(uint32_t metric, uint32_t what, uint32_t run) {
    __asm__ volatile("" ::"r"(metric), "r"(what), "r"(run) : "memory");
}
__attribute__((noinline)) void trace_end(void) { __asm__ volatile("" ::: "memory"); }

// Negative controls: each must be caught.
__attribute__((noinline)) uint32_t control_branch(const uint32_t *secret) {
    return (*secret & 1) != 0 ? sink + *secret : 0;
}
__attribute__((noinline)) uint32_t control_index(const uint32_t *secret) {
    static const volatile uint8_t table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    return table[*secret & 7];
}
// Where there is no instruction for it, by a loop in the compiler's library.
__attribute__((noinline)) uint32_t control_divide(const uint32_t *secret) {
    return (*secret * 0x9e3779b9u) % divisor;
}
}

namespace {

// Inlined, as only trace_all() is not traced.
inline __attribute__((always_inline)) void trace_controls(uint32_t run) {
    trace_begin(0, 0, run);
    sink = control_branch(&run);
    trace_end();
    trace_begin(0, 1, run);
    sink = control_index(&run);
    trace_end();
    trace_begin(0, 2, run);
    sink = control_divide(&run);
    trace_end();
}

} // namespace
#endif
