// SPDX-License-Identifier: Apache-2.0
// The core and the tables of a REGISTRY as a library that compiled.py calls.
#include "client/client_code.hpp"

#include "../mechanisms.hpp"
#include "metrics.h"

// There is no client here: the rows name it, and nothing calls it.
namespace {
uint32_t state_words(const sotto_metric &) { return 0; }
void admit(const sotto_client &, const sotto_metric &, const uint32_t *) {}
sotto_status derive(const sotto_client &, const sotto_release &, uint32_t, uint32_t *) {
    return SOTTO_ERR_ARGUMENT;
}
uint32_t charged(uint32_t, uint32_t, uint32_t) { return 0; }
uint64_t cost(const sotto_metric &, const uint32_t *, uint32_t) { return 0; }
} // namespace
const sotto::client_code sotto::two_stage_client = {state_words, admit, derive, charged, cost};

extern "C" {

sotto_status sotto_turn_noised_sum(sotto_client *) { return SOTTO_ERR_ARGUMENT; }

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

uint32_t add_points(uint32_t metric, const int32_t *points, size_t count, uint32_t *words) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    return m.code->encode(m, {points, count, nullptr}, words);
}

// How many words there are, and how many decisions (tests/mechanisms.hpp) a draw takes.
uint32_t word_count(uint32_t metric) { return sotto::test::word_count(REGISTRY.metrics[metric]); }

size_t decision_count(uint32_t metric, uint32_t level) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    return sotto::test::mechanism_of(m).decisions(m, level).size();
}

void decide(uint32_t metric, uint32_t level, size_t index, uint64_t *target) {
    const sotto_metric &m = REGISTRY.metrics[metric];
    const auto decision = sotto::test::mechanism_of(m).decisions(m, level)[index];
    target[0] = decision.is_choice;
    target[1] = decision.bytes;
    target[2] = decision.number;
}
}
