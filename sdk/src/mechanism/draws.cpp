// SPDX-License-Identifier: Apache-2.0
#include "mechanism/draws.hpp"

#include "mechanism/discrete_laplace.hpp"
#include "mechanism/k_randomized_response.hpp"
#include "mechanism/laplace_threshold.hpp"
#include "mechanism/randomized_response.hpp"
#include "mechanism/rappor.hpp"
#include "mechanism/unary.hpp"

namespace sotto {
namespace {

bool is_top(const sotto_metric &metric, uint32_t level) { return level + 1 == metric.level_count; }

size_t lattice_bytes(const sotto_metric &metric, const sotto_discrete_laplace &lattice,
                     uint32_t level) {
    return is_top(metric, level) ? laplace_top_bytes(lattice, level)
                                 : laplace_below_bytes(lattice, level);
}

// The bits of a word that the metric has.
uint32_t bits_of_word(const sotto_metric &metric, uint32_t index) {
    switch (metric.mechanism) {
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY:
        return members_of_word(metric.table.unary->size, index);
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return members_of_word(metric.table.rappor->bits, index);
    default:
        return 1;
    }
}

} // namespace

size_t flip_bytes(const sotto_metric &, uint32_t) { return bernoulli_bytes; }

uint32_t draw_flipped(const sotto_metric &metric, uint32_t level, uint32_t, uint32_t from,
                      const uint8_t *random) {
    return randomized_response(metric.table.randomized_response->flip[level], from, random);
}

uint32_t draw_rounded(const sotto_metric &metric, uint32_t level, uint32_t, uint32_t from,
                      const uint8_t *random) {
    return randomized_response(metric.table.one_bit_mean->flip[level], from, random);
}

size_t category_bytes(const sotto_metric &, uint32_t) { return k_randomized_response_bytes; }

uint32_t draw_category(const sotto_metric &metric, uint32_t level, uint32_t, uint32_t from,
                       const uint8_t *random) {
    return k_randomized_response(*metric.table.k_randomized_response, level, from, random);
}

size_t unary_bytes(const sotto_metric &metric, uint32_t level) {
    return bernoulli_lanes_bytes(metric.table.unary->channel[level]);
}

uint32_t draw_unary(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                    const uint8_t *random) {
    const sotto_unary &table = *metric.table.unary;
    return noised_bits(table.channel[level], table.size, index, from, random);
}

size_t permanent_bytes(const sotto_metric &metric, uint32_t level) {
    return bernoulli_lanes_bytes(metric.table.rappor->permanent[level]);
}

uint32_t draw_permanent(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                        const uint8_t *random) {
    const sotto_rappor &table = *metric.table.rappor;
    return noised_bits(table.permanent[level], table.bits, index, from, random);
}

size_t number_bytes(const sotto_metric &metric, uint32_t level) {
    return lattice_bytes(metric, *metric.table.discrete_laplace, level);
}

uint32_t draw_number(const sotto_metric &metric, uint32_t level, uint32_t, uint32_t from,
                     const uint8_t *random) {
    const sotto_discrete_laplace &table = *metric.table.discrete_laplace;
    return is_top(metric, level) ? laplace_top(table, level, clamped_value(table, from), random)
                                 : laplace_below(table, level, from, random);
}

size_t threshold_bytes(const sotto_metric &metric, uint32_t level) {
    return lattice_bytes(metric, metric.table.laplace_threshold->lattice, level);
}

uint32_t draw_threshold(const sotto_metric &metric, uint32_t level, uint32_t, uint32_t from,
                        const uint8_t *random) {
    const sotto_laplace_threshold &table = *metric.table.laplace_threshold;
    return is_top(metric, level)
               ? laplace_top(table.lattice, level, lattice_start(table, from), random)
               : laplace_below(table.lattice, level, from, random);
}

size_t forward_bits_bytes(const sotto_metric &metric, uint32_t step) {
    return forward_bits_bytes(metric.forward.bits[step]);
}

uint32_t draw_forward_bits(const sotto_metric &metric, uint32_t step, uint32_t index, uint32_t last,
                           uint32_t true_word, const uint8_t *random) {
    return forward_bits(metric.forward.bits[step], last, true_word, random) &
           bits_of_word(metric, index);
}

size_t forward_choice_bytes(const sotto_metric &, uint32_t) { return forward_category_bytes; }

uint32_t draw_forward_choice(const sotto_metric &metric, uint32_t step, uint32_t, uint32_t last,
                             uint32_t true_word, const uint8_t *random) {
    return forward_category(metric.forward.category[step], metric.table.k_randomized_response->size,
                            last, true_word, random);
}

size_t forward_number_bytes(const sotto_metric &metric, uint32_t step) {
    return forward_laplace_bytes(metric.forward.laplace[step]);
}

uint32_t draw_forward_number(const sotto_metric &metric, uint32_t step, uint32_t, uint32_t last,
                             uint32_t true_word, const uint8_t *random) {
    const sotto_discrete_laplace &table = *metric.table.discrete_laplace;
    return forward_laplace(table, metric.forward.laplace[step], last,
                           clamped_value(table, true_word), random);
}

} // namespace sotto
