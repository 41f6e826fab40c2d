// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/discrete_laplace.hpp"
#include "mechanism/table_check.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &) { return 0; }

uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const sotto_discrete_laplace &table = *m.table.discrete_laplace;
    const auto *numbers = static_cast<const int32_t *>(value.value);
    uint32_t changed = 0;
    for (size_t i = 0; i < value.count; ++i) {
        const auto number = static_cast<uint32_t>(numbers[i]);
        words[i] = clamped_value(table, number);
        changed |= words[i] ^ number;
    }
    if (m.type == SOTTO_TYPE_VECTOR) {
        changed |= clip_l1(table, words, value.count);
    }
    return ~is_zero(changed) & SOTTO_VALUE_CLAMPED;
}

size_t level_bytes(const sotto_metric &m, uint32_t level) {
    return lattice_bytes(*m.table.discrete_laplace, level, m.level_count);
}

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    const sotto_discrete_laplace &table = *m.table.discrete_laplace;
    return level + 1 == m.level_count
               ? laplace_top(table, level, clamped_value(table, from), random)
               : laplace_below(table, level, from, random);
}

bool is_sound(const sotto_metric &m) {
    const sotto_discrete_laplace *table = m.table.discrete_laplace;
    return (m.type == SOTTO_TYPE_INTEGER || m.type == SOTTO_TYPE_VECTOR) && table != nullptr &&
           table->length >= 1 && table->length <= SOTTO_COORDINATES_MAX &&
           (m.type == SOTTO_TYPE_VECTOR || table->length == 1) && m.value_words == table->length &&
           is_lattice(*table, m.level_count);
}

size_t step_bytes(const sotto_metric &m, uint32_t step) {
    return forward_laplace_bytes(m.forward.laplace[step]);
}

uint32_t draw_step(const sotto_metric &m, uint32_t step, uint32_t, uint32_t last,
                   uint32_t true_word, const uint8_t *random) {
    const sotto_discrete_laplace &table = *m.table.discrete_laplace;
    return forward_laplace(table, m.forward.laplace[step], last, clamped_value(table, true_word),
                           random);
}

bool are_steps(const sotto_metric &m) {
    if (m.forward.laplace == nullptr) {
        return false;
    }
    const sotto_discrete_laplace &table = *m.table.discrete_laplace;
    const uint32_t width =
        static_cast<uint32_t>(table.publish_max) - static_cast<uint32_t>(table.publish_min);
    for (uint8_t i = 0; i < m.forward_count; ++i) {
        const sotto_forward_laplace &step = m.forward.laplace[i];
        if (!is_geometric(step.within) || !is_geometric(step.beyond) || !is_geometric(step.tail) ||
            is_zero(step.opposite) ||
            width > 0x7fffffffu - (uint32_t{1} << step.tail.digit_count) -
                        (uint32_t{1} << step.beyond.digit_count)) {
            return false;
        }
    }
    return true;
}

} // namespace

bool is_lattice(const sotto_discrete_laplace &table, uint8_t level_count) {
    if (table.noise == nullptr || table.publish_min < -SOTTO_NUMBER_MAX ||
        table.publish_max > SOTTO_NUMBER_MAX || table.min >= table.max ||
        table.publish_min > table.min || table.publish_max < table.max) {
        return false;
    }
    const uint32_t width =
        static_cast<uint32_t>(table.publish_max) - static_cast<uint32_t>(table.publish_min);
    for (uint8_t i = 0; i < level_count; ++i) {
        const sotto_geometric &size = table.noise[i].size;
        if (!is_geometric(size) || size.has_overflow != 0 || is_zero(table.noise[i].nonzero) ||
            width > 0x7fffffffu - (uint32_t{2} << size.digit_count)) {
            return false;
        }
    }
    // The top's noise is what hides the value: neither its zero nor its size may be certain.
    const sotto_laplace_noise &top = table.noise[level_count - 1];
    const uint32_t *high = top.size.digit + top.size.digit_limbs - 2;
    return number(top.nonzero) >= noise_min(64) && number({{high[0], high[1]}}) >= noise_min(64);
}

} // namespace sotto

const sotto_code sotto_code_discrete_laplace = {SOTTO_MECHANISM_DISCRETE_LAPLACE,
                                                sotto::shown::numbers,
                                                sotto::steps::laplace,
                                                0,
                                                sotto::size,
                                                sotto::encode,
                                                sotto::level_bytes,
                                                sotto::draw,
                                                nullptr, // published
                                                nullptr, // strings
                                                nullptr, // reports
                                                sotto::is_sound};
const sotto_forward_code sotto_forward_code_laplace = {sotto::steps::laplace, sotto::step_bytes,
                                                       sotto::draw_step, sotto::are_steps};
