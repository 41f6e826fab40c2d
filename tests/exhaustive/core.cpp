// SPDX-License-Identifier: Apache-2.0
// The core and the tables of metrics.toml as a library that compiled.py calls.
#include "client/permanent_value.hpp"
#include "mechanism/discrete_laplace.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/one_bit_mean.hpp"
#include "mechanism/rappor.hpp"

#include "metrics.h"

const sotto::permanent_code sotto::memoized = {}; // no client here

extern "C" {

size_t draw_bytes(uint32_t metric, uint32_t level) {
    return sotto::level_bytes(exhaustive_registry.metrics[metric], level);
}

int32_t draw(uint32_t metric, uint32_t level, uint32_t from, const uint8_t *random, size_t size,
             uint32_t *word) {
    return sotto::draw_word(exhaustive_registry.metrics[metric], level, 0, from, {random, size},
                            word);
}

size_t tightening_bytes(uint32_t metric, uint32_t above, uint32_t below) {
    return sotto::tighten_bytes(exhaustive_registry.metrics[metric], above, below);
}

int32_t tighten(uint32_t metric, uint32_t above, uint32_t below, uint32_t from,
                const uint8_t *random, size_t size, uint32_t *word) {
    return sotto::tighten_word(exhaustive_registry.metrics[metric], above, below, 0, from,
                               {random, size}, word);
}

uint32_t published(uint32_t metric, uint32_t word) {
    return sotto::published_word(exhaustive_registry.metrics[metric], word);
}

size_t forward_draw_bytes(uint32_t metric, uint32_t step) {
    return sotto::forward_bytes(exhaustive_registry.metrics[metric], step);
}

int32_t forward(uint32_t metric, uint32_t step, uint32_t last, uint32_t true_word,
                const uint8_t *random, size_t size, uint32_t *word) {
    return sotto::draw_forward(exhaustive_registry.metrics[metric], step, 0, last, true_word,
                               {random, size}, word);
}

uint32_t instantaneous(uint32_t metric, uint32_t level, uint32_t bits, const uint8_t *random) {
    return sotto::instantaneous_bits(*exhaustive_registry.metrics[metric].table.rappor, level, 0,
                                     bits, random);
}

uint32_t clip(uint32_t metric, uint32_t *values) {
    const sotto_discrete_laplace &table =
        *exhaustive_registry.metrics[metric].table.discrete_laplace;
    return sotto::clip_l1(table, values, table.length);
}
}
