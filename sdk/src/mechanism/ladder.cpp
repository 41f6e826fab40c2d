// SPDX-License-Identifier: Apache-2.0
#include "mechanism/ladder.hpp"

#include "mechanism/discrete_laplace.hpp"
#include "mechanism/k_randomized_response.hpp"
#include "mechanism/laplace_threshold.hpp"
#include "mechanism/randomized_response.hpp"
#include "mechanism/rappor.hpp"
#include "mechanism/unary.hpp"

namespace sotto {
namespace {

// Laplace-threshold bits on the unit grid carry the table of randomized response, and its number.
const sotto_threshold *flips(const sotto_metric &metric) {
    return metric.mechanism == SOTTO_MECHANISM_ONE_BIT_MEAN
               ? metric.table.one_bit_mean->flip
               : metric.table.randomized_response->flip;
}

const sotto_discrete_laplace &lattice(const sotto_metric &metric) {
    return metric.mechanism == SOTTO_MECHANISM_DISCRETE_LAPLACE
               ? *metric.table.discrete_laplace
               : metric.table.laplace_threshold->lattice;
}

bool is_top(const sotto_metric &metric, uint32_t level) { return level + 1 == metric.level_count; }

// Is a level drawn from what the level above it published?
bool is_from_published(const sotto_metric &metric, uint32_t level) {
    switch (metric.mechanism) {
    case SOTTO_MECHANISM_LAPLACE_THRESHOLD:
        return false;
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return is_chained(*metric.table.rappor, level);
    default:
        return true;
    }
}

bool is_way_down(const sotto_metric &metric, uint32_t from_level, uint32_t to_level) {
    bool is_way = from_level < metric.level_count && to_level < from_level;
    for (uint32_t level = to_level; is_way && level < from_level; ++level) {
        is_way = is_from_published(metric, level);
    }
    return is_way;
}

size_t report_bytes(const sotto_metric &metric, uint32_t level) {
    return is_rappor(metric) ? bernoulli_lanes_bytes(metric.table.rappor->instantaneous[level])
                             : level_bytes(metric, level);
}

} // namespace

size_t level_bytes(const sotto_metric &metric, uint32_t level) {
    if (level >= metric.level_count) {
        return 0;
    }
    switch (metric.mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
        return bernoulli_bytes;
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        return k_randomized_response_bytes;
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY:
        return bernoulli_lanes_bytes(metric.table.unary->channel[level]);
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return bernoulli_lanes_bytes(metric.table.rappor->permanent[level]);
    case SOTTO_MECHANISM_DISCRETE_LAPLACE:
    case SOTTO_MECHANISM_LAPLACE_THRESHOLD:
        return is_top(metric, level) ? laplace_top_bytes(lattice(metric), level)
                                     : laplace_below_bytes(lattice(metric), level);
    default:
        return 0;
    }
}

sotto_status draw_word(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                       random_bytes random, uint32_t *word) {
    *word = 0;
    if (level >= metric.level_count || index >= metric.value_words ||
        random.size < level_bytes(metric, level)) {
        return SOTTO_ERR_ARGUMENT;
    }
    switch (metric.mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
        *word = randomized_response(flips(metric)[level], from, random.data);
        return SOTTO_OK;
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        *word =
            k_randomized_response(*metric.table.k_randomized_response, level, from, random.data);
        return SOTTO_OK;
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY: {
        const sotto_unary &table = *metric.table.unary;
        *word = noised_bits(table.channel[level], table.size, index, from, random.data);
        return SOTTO_OK;
    }
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR: {
        const sotto_rappor &table = *metric.table.rappor;
        *word = noised_bits(table.permanent[level], table.bits, index, from, random.data);
        return SOTTO_OK;
    }
    case SOTTO_MECHANISM_DISCRETE_LAPLACE:
        *word = is_top(metric, level)
                    ? laplace_top(lattice(metric), level, clamped_value(lattice(metric), from),
                                  random.data)
                    : laplace_below(lattice(metric), level, from, random.data);
        return SOTTO_OK;
    case SOTTO_MECHANISM_LAPLACE_THRESHOLD:
        *word = is_top(metric, level)
                    ? laplace_top(lattice(metric), level,
                                  lattice_start(*metric.table.laplace_threshold, from), random.data)
                    : laplace_below(lattice(metric), level, from, random.data);
        return SOTTO_OK;
    default:
        return SOTTO_ERR_REGISTRY;
    }
}

uint32_t published_word(const sotto_metric &metric, uint32_t word) {
    return metric.mechanism == SOTTO_MECHANISM_LAPLACE_THRESHOLD
               ? lattice_bit(*metric.table.laplace_threshold, word)
               : word;
}

size_t tighten_bytes(const sotto_metric &metric, uint32_t from_level, uint32_t to_level) {
    size_t size = 0;
    if (is_way_down(metric, from_level, to_level)) {
        for (uint32_t level = to_level; level < from_level; ++level) {
            size += report_bytes(metric, level);
        }
    }
    return size;
}

sotto_status tighten_word(const sotto_metric &metric, uint32_t from_level, uint32_t to_level,
                          uint32_t index, uint32_t published, random_bytes random, uint32_t *word) {
    *word = 0;
    if (!is_way_down(metric, from_level, to_level) || index >= metric.value_words ||
        random.size < tighten_bytes(metric, from_level, to_level)) {
        return SOTTO_ERR_ARGUMENT;
    }
    sotto_status status = SOTTO_OK;
    uint32_t now = published;
    for (uint32_t level = from_level; status == SOTTO_OK && level-- > to_level;) {
        const size_t size = report_bytes(metric, level);
        if (is_rappor(metric)) {
            now = instantaneous_bits(*metric.table.rappor, level, index, now, random.data);
        } else {
            status = draw_word(metric, level, index, now, {random.data, size}, &now);
        }
        random = {random.data + size, random.size - size};
    }
    *word = now;
    return status;
}

size_t forward_bytes(const sotto_metric &metric, uint32_t step) {
    if (step >= metric.forward_count) {
        return 0;
    }
    switch (metric.mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY:
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return forward_bits_bytes(metric.forward.bits[step]);
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        return forward_category_bytes;
    case SOTTO_MECHANISM_DISCRETE_LAPLACE:
        return forward_laplace_bytes(metric.forward.laplace[step]);
    default:
        return 0;
    }
}

sotto_status draw_forward(const sotto_metric &metric, uint32_t step, uint32_t index, uint32_t last,
                          uint32_t true_word, random_bytes random, uint32_t *word) {
    *word = 0;
    if (step >= metric.forward_count || index >= metric.value_words ||
        random.size < forward_bytes(metric, step)) {
        return SOTTO_ERR_ARGUMENT;
    }
    switch (metric.mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
        *word = forward_bits(metric.forward.bits[step], last & 1, true_word & 1, random.data) & 1;
        return SOTTO_OK;
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY:
        *word = forward_bits(metric.forward.bits[step], last, true_word, random.data) &
                members_of_word(metric.table.unary->size, index);
        return SOTTO_OK;
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        *word = forward_bits(metric.forward.bits[step], last, true_word, random.data) &
                members_of_word(metric.table.rappor->bits, index);
        return SOTTO_OK;
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        *word = forward_category(metric.forward.category[step],
                                 metric.table.k_randomized_response->size, last, true_word,
                                 random.data);
        return SOTTO_OK;
    case SOTTO_MECHANISM_DISCRETE_LAPLACE:
        *word = forward_laplace(lattice(metric), metric.forward.laplace[step], last,
                                clamped_value(lattice(metric), true_word), random.data);
        return SOTTO_OK;
    default:
        return SOTTO_ERR_REGISTRY;
    }
}

} // namespace sotto
