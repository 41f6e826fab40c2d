// SPDX-License-Identifier: Apache-2.0
// Calls every draw of every mechanism with different values and different randomness, between two
// markers that trace.py finds in the emulator's log.
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/noised_sum.hpp"

#include "metrics.h"
#include "traced.hpp"

// Metrics that are reported, or counters.
#ifndef TRACED_REGISTRY
#define TRACED_REGISTRY every_registry
#endif

namespace {

uint32_t words[32];

// Words that this metric can have: its ends are among them.
uint32_t word_of(const sotto_metric &m, uint32_t run) {
    switch (m.code->shows) {
    case sotto::shown::numbers:
    case sotto::shown::rows:
        return run == 0 ? 0x80000001u : run == 1 ? 0x7fffffffu : run;
    case sotto::shown::bits:
        return run == 1 ? UINT32_MAX : run * 0x9e3779b9u;
    default:
        return m.code->size(m) > 2 ? run % m.code->size(m) : run & 1;
    }
}

// A value of the metric's type as true words.
void encode(const sotto_metric &m, uint32_t run) {
    static uint16_t members[2];
    static int32_t numbers[32];
    static uint8_t bytes[sotto::string_digest_bytes]; // a digest is written into
    members[0] = static_cast<uint16_t>(run);
    members[1] = 3;
    for (uint32_t k = 0; k < 32; ++k) {
        numbers[k] = static_cast<int32_t>(run * 3 - k * 7);
    }
    const void *value = m.type == SOTTO_TYPE_SET ? static_cast<const void *>(members) : numbers;
    const size_t count = m.type == SOTTO_TYPE_SET        ? 2
                         : m.type == SOTTO_TYPE_QUANTILE ? 5
                                                         : m.value_words;
    for (uint32_t &word : words) {
        word = 0;
    }
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = noise[i];
    }
    trace_begin(m.id, 34, run);
    sink = m.code->encode(m, {value, count, bytes}, words);
    trace_end();
}

// An event of an amount that is secret, in rows of either place, closed ones and any sum.
void add_event(const sotto_metric &m, uint32_t run) {
    static const uint32_t ways[3] = {1, 7u | 1u << sotto::way_place, 0};
    static uint32_t sums[6];
    for (uint32_t i = 0; i < 6; ++i) {
        sums[i] = noise[i] * 0x01010101u;
    }
    const uint32_t amount = word_of(m, run);
    trace_begin(m.id, 35, run);
    sotto::add_event(3, ways, sums, amount);
    trace_end();
}

// A running total of sums that are secret.
void total_of(const sotto_metric &m, uint32_t run) {
    constexpr uint32_t added = 1u << sotto::way_taken, subtracted = 3u << sotto::way_taken;
    static const uint32_t ways[8] = {
        added, 1, 1u << sotto::way_place | added, 0, subtracted, added, subtracted, 1};
    static uint32_t sums[16];
    for (uint32_t i = 0; i < 16; ++i) {
        sums[i] = noise[i] * 0x01010101u;
    }
    trace_begin(m.id, 36, run);
    sink = sotto::total_of(8, ways, sums);
    trace_end();
}

} // namespace

extern "C" {

void trace_all(void) {
    for (uint32_t run = 0; run < runs; ++run) {
        fill(run);
        const sotto::random_bytes random = {noise, sizeof noise};
        for (uint32_t i = 0; i < TRACED_REGISTRY.metric_count; ++i) {
            const sotto_metric &m = TRACED_REGISTRY.metrics[i];
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
            for (uint32_t target = 0; target < top; ++target) {
                if (sotto::tighten_bytes(m, top, target) > 0) {
                    const uint32_t published = word_of(m, run);
                    trace_begin(m.id, 40 + target, run);
                    (void)sotto::tighten_word(m, top, target, 0, published, random, &word);
                    trace_end();
                }
            }
            if (m.code->encode != nullptr) {
                encode(m, run);
            }
            if (m.type == SOTTO_TYPE_COUNTER) {
                add_event(m, run);
                total_of(m, run);
            }
            if (m.code->reports != nullptr) {
                trace_begin(m.id, 33, run);
                sink = m.code->reports->draw(m, 0, 0, words[0], noise);
                trace_end();
            }
        }
        trace_controls(run);
    }
}

int main(void) {
    trace_all();
    return 0;
}
}
