// SPDX-License-Identifier: Apache-2.0
// Calls every draw of every mechanism with different values and different randomness, between two
// markers that trace.py finds in the emulator's log.
#include "mechanism/discrete_laplace.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/one_bit_mean.hpp"
#include "mechanism/rappor.hpp"
#include "mechanism/unary.hpp"

#include "metrics.h"

namespace {

constexpr uint32_t runs = 6;
uint8_t noise[1024];
uint32_t words[32];
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

// Words that this metric can have: its ends are among them.
uint32_t word_of(const sotto_metric &m, uint32_t run) {
    switch (m.mechanism) {
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        return run % m.table.k_randomized_response->size;
    case SOTTO_MECHANISM_DISCRETE_LAPLACE: {
        const sotto_discrete_laplace &table = *m.table.discrete_laplace;
        return static_cast<uint32_t>(run == 0   ? table.publish_min
                                     : run == 1 ? table.publish_max
                                                : table.min + static_cast<int32_t>(run));
    }
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY:
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return run == 1 ? UINT32_MAX : run * 0x9e3779b9u;
    default:
        return run & 1;
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

void trace_all(void) {
    for (uint32_t run = 0; run < runs; ++run) {
        fill(run);
        const sotto::random_bytes random = {noise, sizeof noise};
        for (uint32_t i = 0; i < every_registry.metric_count; ++i) {
            const sotto_metric &m = every_registry.metrics[i];
            uint32_t word = 0;
            for (uint32_t level = 0; level < m.level_count; ++level) {
                const uint32_t from = word_of(m, run);
                trace_begin(m.id, level, run);
                (void)sotto::draw_word(m, level, 0, from, random, &word);
                trace_end();
                sink = sotto::published_word(m, word);
            }
            for (uint32_t step = 0; step < m.forward_count; ++step) {
                const uint32_t last = word_of(m, run), value = word_of(m, run ^ 1);
                trace_begin(m.id, 16 + step, run);
                (void)sotto::draw_forward(m, step, 0, last, value, random, &word);
                trace_end();
            }
            const uint32_t top = m.level_count - 1u;
            for (uint32_t to = 0; to < top; ++to) {
                if (sotto::tighten_bytes(m, top, to) > 0) {
                    const uint32_t published = word_of(m, run);
                    trace_begin(m.id, 40 + to, run);
                    (void)sotto::tighten_word(m, top, to, 0, published, random, &word);
                    trace_end();
                }
            }
            if (m.mechanism == SOTTO_MECHANISM_RAPPOR) {
                trace_begin(m.id, 32, run);
                sotto::bloom_bits(*m.table.rappor, noise, words);
                trace_end();
                trace_begin(m.id, 33, run);
                sink = sotto::instantaneous_bits(*m.table.rappor, 0, 0, words[0], noise);
                trace_end();
            }
            if (m.type == SOTTO_TYPE_SET) {
                const uint16_t members[2] = {static_cast<uint16_t>(run), 3};
                trace_begin(m.id, 34, run);
                sotto::set_members(members, 2, m.table.unary->size, words);
                trace_end();
            }
            if (m.type == SOTTO_TYPE_VECTOR) {
                const sotto_discrete_laplace &table = *m.table.discrete_laplace;
                for (uint32_t k = 0; k < table.length; ++k) {
                    words[k] = sotto::clamped_value(table, run * 3 - k * 7);
                }
                trace_begin(m.id, 35, run);
                sink = sotto::clip_l1(table, words, table.length);
                trace_end();
            }
            if (m.type == SOTTO_TYPE_MEAN) {
                trace_begin(m.id, 36, run);
                sink = sotto::rounded_to_one_bit(*m.table.one_bit_mean,
                                                 sotto::clamped_number(*m.table.one_bit_mean, run),
                                                 noise);
                trace_end();
            }
        }
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
}

int main(void) {
    trace_all();
    return 0;
}
}
