// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_DRAWS_HPP
#define SOTTO_MECHANISM_DRAWS_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

// The draws of each mechanism, as sotto_code and sotto_forward_code have them: of metrics with its
// tables, at a level, step and index that there is, with as many random bytes as the first of each
// pair says. Same instructions and addresses for every value and all randomness.
namespace sotto {

size_t flip_bytes(const sotto_metric &metric, uint32_t level);
uint32_t draw_flipped(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                      const uint8_t *random);
uint32_t draw_rounded(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                      const uint8_t *random);

size_t category_bytes(const sotto_metric &metric, uint32_t level);
uint32_t draw_category(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                       const uint8_t *random);

size_t unary_bytes(const sotto_metric &metric, uint32_t level);
uint32_t draw_unary(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                    const uint8_t *random);

size_t permanent_bytes(const sotto_metric &metric, uint32_t level);
uint32_t draw_permanent(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                        const uint8_t *random);

size_t number_bytes(const sotto_metric &metric, uint32_t level);
uint32_t draw_number(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                     const uint8_t *random);

size_t threshold_bytes(const sotto_metric &metric, uint32_t level);
uint32_t draw_threshold(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                        const uint8_t *random);

size_t forward_bits_bytes(const sotto_metric &metric, uint32_t step);
uint32_t draw_forward_bits(const sotto_metric &metric, uint32_t step, uint32_t index, uint32_t last,
                           uint32_t true_word, const uint8_t *random);

size_t forward_choice_bytes(const sotto_metric &metric, uint32_t step);
uint32_t draw_forward_choice(const sotto_metric &metric, uint32_t step, uint32_t index,
                             uint32_t last, uint32_t true_word, const uint8_t *random);

size_t forward_number_bytes(const sotto_metric &metric, uint32_t step);
uint32_t draw_forward_number(const sotto_metric &metric, uint32_t step, uint32_t index,
                             uint32_t last, uint32_t true_word, const uint8_t *random);

} // namespace sotto
#endif
