// SPDX-License-Identifier: Apache-2.0
// An interrupt at every block of a file that is compiled with -fsanitize-coverage=trace-pc, on one
// core. One source of a program includes it.
#ifndef INTERRUPTS_HPP
#define INTERRUPTS_HPP

#include <cstdint>
#include <functional>

// The block of this number calls back; counted from when it is armed.
inline uint32_t block = 0, fires_at = UINT32_MAX;
inline std::function<void()> interrupt;

// Runs `call` with the interrupt at block `at`. Was there such a block?
inline bool interrupted(uint32_t at, const std::function<void()> &handler,
                        const std::function<void()> &call) {
    interrupt = handler;
    block = 0;
    fires_at = at;
    call();
    const bool fired = fires_at == UINT32_MAX;
    fires_at = UINT32_MAX;
    return fired;
}

extern "C" void __sanitizer_cov_trace_pc() { // NOLINT
    if (block++ == fires_at) {
        fires_at = UINT32_MAX;
        interrupt();
    }
}

#endif
