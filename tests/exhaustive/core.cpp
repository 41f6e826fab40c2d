// SPDX-License-Identifier: Apache-2.0
// The core and the tables of a REGISTRY as a library that compiled.py calls.
#include "client/client_code.hpp"

#include "../mechanisms.hpp"
#include "metrics.h"

// There is no client here: the tables name its rows, and nothing calls them.
namespace {
bool is_sound(const sotto_metric &) { return false; }
constexpr sotto_client_code nothing = {sotto::no_words, sotto::no_words, nullptr,
                                       nullptr,         nullptr,         is_sound};
} // namespace
const sotto_client_code sotto_client_code_two_stages = nothing;
const sotto_client_code sotto_client_code_kept_values = nothing;
const sotto_client_code sotto_client_code_kept_hashes = nothing;
const sotto_client_code sotto_client_code_open_rows = nothing;
const sotto_client_code sotto_client_code_room = nothing;

namespace {

// A decision that is asked of the bytes of the one before has none of its own.
std::vector<sotto::test::decision> flat(const sotto_metric &m, uint32_t level) {
    std::vector<sotto::test::decision> decisions;
    for (const sotto::test::decision &asked : sotto::test::mechanism_of(m).decisions(m, level)) {
        decisions.push_back(asked);
        for (const uint64_t number : asked.also) {
            decisions.push_back({false, 0, number});
        }
    }
    return decisions;
}

} // namespace

extern "C" {

size_t draw_bytes(uint32_t metric, uint32_t level) {
    return sotto::level_bytes(REGISTRY.metrics[metric], level);
}

int32_t draw(uint32_t metric, uint32_t level, uint32_t from, const uint8_t *random, size_t size,
             uint32_t *word) {
    return sotto::draw_word(REGISTRY.metrics[metric], level, 0, from, {random, size}, word);
}

size_t tightening_bytes(uint32_t metric, uint32_t above, uint32_t below) {
    return sotto::tighten_bytes(REGISTRY.metrics[metric], above, below);
}

int32_t tighten(uint32_t metric, uint32_t above, uint32_t below, uint32_t from,
                const uint8_t *random, size_t size, uint32_t *word) {
    return sotto::tighten_word(REGISTRY.metrics[metric], above, below, 0, from, {random, size},
                               word);
}

uint32_t published(uint32_t metric, uint32_t word) {
    return sotto::published_word(REGISTRY.metrics[metric], word);
}

size_t forward_draw_bytes(uint32_t metric, uint32_t step) {
    return sotto::forward_bytes(REGISTRY.metrics[metric], step);
}

int32_t forward(uint32_t metric, uint32_t step, uint32_t last, uint32_t true_word,
                const uint8_t *random, size_t size, uint32_t *word) {
    return sotto::draw_forward(REGISTRY.metrics[metric], step, 0, last, true_word, {random, size},
                               word);
}

uint32_t instantaneous(uint32_t metric, uint32_t level, uint32_t bits, const uint8_t *random) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    return m.code->reports->draw(m, level, 0, bits, random);
}

uint32_t encode(uint32_t metric, const int32_t *numbers, uint32_t *words) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    return m.code->encode(m, {numbers, m.value_words, nullptr}, words);
}

uint32_t encode_set(uint32_t metric, const uint16_t *members, size_t count, uint8_t *random,
                    uint32_t *word) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    return m.code->encode(m, {members, count, random}, word);
}

uint32_t add_points(uint32_t metric, const int32_t *points, size_t count, uint32_t *words) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    return m.code->encode(m, {points, count, nullptr}, words);
}

// A quantile, with steps of `delta` bins.
uint32_t answer(uint32_t metric, uint32_t delta, const int32_t *points, size_t count,
                uint8_t *random, uint32_t *room) {
    sotto_metric m = REGISTRY.metrics[metric];
    sotto_inverse_sensitivity table = *m.table.inverse_sensitivity;
    table.delta = static_cast<uint16_t>(delta);
    m.table.inverse_sensitivity = &table;
    return m.code->encode(m, {points, count, random}, room);
}

// How many words there are and how many true ones, and how many decisions (tests/mechanisms.hpp) a
// draw takes.
uint32_t word_count(uint32_t metric) { return sotto::test::word_count(REGISTRY.metrics[metric]); }

uint32_t truth_count(uint32_t metric) {
    return sotto::test::mechanism_of(REGISTRY.metrics[metric]).truths(REGISTRY.metrics[metric]);
}

size_t decision_count(uint32_t metric, uint32_t level) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    return flat(m, level).size();
}

void decide(uint32_t metric, uint32_t level, size_t index, uint64_t *target) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    const sotto::test::decision asked = flat(m, level)[index];
    target[0] = asked.is_choice;
    target[1] = asked.bytes;
    target[2] = asked.number;
}
}
