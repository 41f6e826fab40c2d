// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_LADDER_HPP
#define SOTTO_MECHANISM_LADDER_HPP

#include "random/bytes.hpp"
#include "sotto/registry.h"
#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// One way through every mechanism: a value is value_words 32-bit words, each noised on its own, the
// top level from the true word, each level below from the level above it. Of RAPPOR this is the
// permanent stage; rappor.hpp has the other.
//
// Errors, and *word is 0 then: ARGUMENT for a level or word that does not exist or too few random
// bytes, REGISTRY for a mechanism this SDK does not know. Pure and thread-safe; fixed time for
// every word and all randomness.

// Random bytes that drawing one word of `level` takes; 0 when there is no such level or mechanism.
size_t level_bytes(const sotto_metric &metric, uint32_t level);

// Word `index` of `level`: from the true value's word for the top level, else from the word above.
sotto_status draw_word(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                       random_bytes random, uint32_t *word);

// What a word publishes: itself, or a lattice number's bit.
uint32_t published_word(const sotto_metric &metric, uint32_t word);

// The same for the levels above the ladder, 0 ... forward_count - 1, from the last word published,
// at the level right below, and the true word.
size_t forward_bytes(const sotto_metric &metric, uint32_t step);
sotto_status draw_forward(const sotto_metric &metric, uint32_t step, uint32_t index, uint32_t last,
                          uint32_t true_word, random_bytes random, uint32_t *word);

} // namespace sotto
#endif
