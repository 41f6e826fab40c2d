// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_LADDER_HPP
#define SOTTO_MECHANISM_LADDER_HPP

#include "random/bytes.hpp"
#include "sotto/registry.h"
#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// One way through every mechanism. A value is value_words 32-bit words, each noised on its own. The
// top level comes from the true word, each level below from the level above it. In a mechanism of
// two stages this is the first, whose noise may have to be the same whenever a value is asked for
// again. Its code has the other.
//
// After an error *word is 0. Errors: ARGUMENT for a level or word that does not exist or too few
// random bytes, REGISTRY for a mechanism this SDK does not know. Pure and thread-safe; fixed time
// for every word and all randomness.

// Random bytes that drawing one word of `level` takes; 0 when there is no such level or mechanism.
size_t level_bytes(const sotto_metric &metric, uint32_t level);

// Word `index` of `level`: from the true value's word for the top level, else from the word above.
sotto_status draw_word(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                       random_bytes random, uint32_t *word);

// A word as published: itself, or a lattice number's bit.
uint32_t published_word(const sotto_metric &metric, uint32_t word);

// Tightening: what a release published at a level becomes what it would have published at a lower
// one. The lower level may be any number of levels down. Neither the data nor the device is needed.
// The result has the law of the lower level and, with what it was made of, loses what the higher
// level loses. `published` is word `index` of the higher level; randomness must be fresh. On the
// host `sotto tighten` calls it.
//
// ARGUMENT also where there is no way down: to the same level or a higher one, or from above the
// ladder. ARGUMENT too where a level is not drawn from what the one above published. These are bits
// of a fine Laplace grid, and levels of two stages that are not chained.
size_t tighten_bytes(const sotto_metric &metric, uint32_t from_level, uint32_t to_level);
sotto_status tighten_word(const sotto_metric &metric, uint32_t from_level, uint32_t to_level,
                          uint32_t index, uint32_t published, random_bytes random, uint32_t *word);

// A word of a level above the ladder, step 0 ... forward_count - 1, from the last word published,
// at the level right below, and the true word. With two stages: from the last report, and the top's
// word of the first stage in the place of the true one. Errors as above.
size_t forward_bytes(const sotto_metric &metric, uint32_t step);
sotto_status draw_forward(const sotto_metric &metric, uint32_t step, uint32_t index, uint32_t last,
                          uint32_t true_word, random_bytes random, uint32_t *word);

} // namespace sotto
#endif
