// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/mix.hpp"
#include "mechanism/support_steps.hpp"
#include "mechanism/table_check.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

const sotto_design &table_of(const sotto_metric &m) { return *m.table.design; }

uint32_t size(const sotto_metric &m) { return table_of(m).answers; }

uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    words[0] = *static_cast<const uint32_t *>(value.value);
    return ~less(words[0], table_of(m).size) & static_cast<uint32_t>(SOTTO_ERR_NO_SUCH_VALUE);
}

// Below 2 * answers before.
uint32_t wrapped(const sotto_design &table, uint32_t x) {
    return select(less(x, table.answers), x, x - table.answers);
}

// One of the answers that support the category. The whole set is read, as its place is secret.
uint32_t supporting(const sotto_design &table, uint32_t category, const uint8_t *random) {
    const uint32_t place = uniform_below(table.count, random);
    uint32_t element = 0;
    for (uint32_t i = 0; i < table.count; ++i) {
        element |= equal(i, place) & table.design[i];
    }
    return wrapped(table, element + table.answers - category);
}

mask supports(const sotto_design &table, uint32_t answer, uint32_t category) {
    const uint32_t element = wrapped(table, answer + category);
    mask found = 0;
    for (uint32_t i = 0; i < table.count; ++i) {
        found |= equal(table.design[i], element);
    }
    return found;
}

constexpr size_t fresh_bytes = mix_bytes + uniform_bytes;

uint32_t fresh(const sotto_design &table, const sotto_threshold &keep, uint32_t category,
               const uint8_t *random) {
    return mix(keep, supporting(table, category, random + mix_bytes), table.answers, random);
}

bool is_top(const sotto_metric &m, uint32_t level) { return level + 1u == m.level_count; }

size_t level_bytes(const sotto_metric &m, uint32_t level) {
    return is_top(m, level) ? fresh_bytes : mix_bytes;
}

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    const sotto_design &table = table_of(m);
    const sotto_threshold &keep = table.keep[level];
    return is_top(m, level) ? fresh(table, keep, from, random)
                            : mix(keep, from, table.answers, random);
}

// Epsilon holds for any so many different answers. Estimates alone need a difference set: the
// compiler and the aggregator look at that.
bool is_rising(const sotto_design &table) {
    for (uint32_t i = 1; i < table.count; ++i) {
        if (table.design[i] <= table.design[i - 1]) {
            return false;
        }
    }
    return table.design[table.count - 1] < table.answers;
}

bool is_sound(const sotto_metric &m) {
    const sotto_design *table = m.table.design;
    if (m.type != SOTTO_TYPE_CATEGORY || table == nullptr || table->keep == nullptr ||
        table->design == nullptr || table->size < 2 || table->size > table->answers ||
        table->count < 2 || table->count > SOTTO_SUPPORT_MAX || !is_rising(*table)) {
        return false;
    }
    for (uint8_t i = 0; i < m.level_count; ++i) {
        if (is_zero(table->keep[i])) {
            return false;
        }
    }
    return leaves_noise(table->keep[m.level_count - 1], 64) && m.value_words == 1;
}

size_t step_bytes(const sotto_metric &, uint32_t) { return bernoulli_bytes + fresh_bytes; }

uint32_t draw_step(const sotto_metric &m, uint32_t step, uint32_t, uint32_t last,
                   uint32_t true_word, const uint8_t *random) {
    const sotto_design &table = table_of(m);
    const sotto_forward_support &way = m.forward.support[step];
    return select(stays(way, supports(table, last, true_word), random), last,
                  fresh(table, way.keep, true_word, random + bernoulli_bytes));
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_design = {SOTTO_MECHANISM_DESIGN,
                                      sotto::shown::index,
                                      sotto::steps::support,
                                      0,
                                      sotto::size,
                                      sotto::encode,
                                      sotto::level_bytes,
                                      sotto::draw,
                                      nullptr, // published
                                      nullptr, // strings
                                      nullptr, // reports
                                      sotto::is_sound};
const sotto_forward_code sotto_forward_code_design = {sotto::steps::support, sotto::step_bytes,
                                                      sotto::draw_step, sotto::are_support_steps};
