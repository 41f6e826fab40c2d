// SPDX-License-Identifier: Apache-2.0
#include "client/table_check.hpp"
#include "mechanism/code.hpp"
#include "mechanism/draws.hpp"

namespace sotto {
namespace {

// No sum of the chain may leave 32 bits.
bool is_lattice(const sotto_discrete_laplace &table, uint8_t level_count) {
    if (table.noise == nullptr || table.publish_min < -number_max ||
        table.publish_max > number_max || table.min >= table.max || table.publish_min > table.min ||
        table.publish_max < table.max) {
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

bool is_discrete_laplace(const sotto_metric &m) {
    const sotto_discrete_laplace *table = m.table.discrete_laplace;
    return (m.type == SOTTO_TYPE_INTEGER || m.type == SOTTO_TYPE_VECTOR) && table != nullptr &&
           table->length >= 1 && table->length <= 256 &&
           (m.type == SOTTO_TYPE_VECTOR || table->length == 1) && m.value_words == table->length &&
           is_lattice(*table, m.level_count);
}

bool is_laplace_threshold(const sotto_metric &m) {
    const sotto_laplace_threshold *table = m.table.laplace_threshold;
    return m.type == SOTTO_TYPE_BOOLEAN && table != nullptr && table->lattice.min == 0 &&
           table->threshold >= 1 && table->threshold <= table->lattice.max && m.value_words == 1 &&
           is_lattice(table->lattice, m.level_count);
}

bool are_forward_numbers(const sotto_metric &m) {
    if (m.forward.laplace == nullptr || m.mechanism != SOTTO_MECHANISM_DISCRETE_LAPLACE) {
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
} // namespace sotto

using namespace sotto;

const sotto_code sotto_code_discrete_laplace = {SOTTO_MECHANISM_DISCRETE_LAPLACE, number_bytes,
                                                draw_number, is_discrete_laplace, nullptr};
const sotto_code sotto_code_laplace_threshold = {SOTTO_MECHANISM_LAPLACE_THRESHOLD, threshold_bytes,
                                                 draw_threshold, is_laplace_threshold, nullptr};
const sotto_forward_code sotto_forward_code_laplace = {forward_number_bytes, draw_forward_number,
                                                       are_forward_numbers};
