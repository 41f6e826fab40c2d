// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/forward_category.hpp"
#include "mechanism/mix.hpp"
#include "mechanism/table_check.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &m) { return m.table.k_randomized_response->size; }

uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    words[0] = *static_cast<const uint32_t *>(value.value);
    return ~less(words[0], size(m)) & static_cast<uint32_t>(SOTTO_ERR_NO_SUCH_VALUE);
}

size_t level_bytes(const sotto_metric &, uint32_t) { return mix_bytes; }

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    return mix(m.table.k_randomized_response->keep[level], from, size(m), random);
}

bool is_sound(const sotto_metric &m) {
    const sotto_k_randomized_response *table = m.table.k_randomized_response;
    if (m.type != SOTTO_TYPE_CATEGORY || table == nullptr || table->keep == nullptr ||
        table->size < 2 || table->size > SOTTO_CATEGORIES_MAX) {
        return false;
    }
    for (uint8_t i = 0; i < m.level_count; ++i) {
        const sotto_threshold &keep = table->keep[i];
        if (is_zero(keep)) {
            return false;
        }
    }
    return leaves_noise(table->keep[m.level_count - 1], 64) && m.value_words == 1;
}

size_t step_bytes(const sotto_metric &, uint32_t) { return forward_category_bytes; }

uint32_t draw_step(const sotto_metric &m, uint32_t step, uint32_t, uint32_t last,
                   uint32_t true_word, const uint8_t *random) {
    return forward_category(m.forward.category[step], size(m), last, true_word, random);
}

bool are_steps(const sotto_metric &m) {
    for (uint8_t i = 0; m.forward.category != nullptr && i < m.forward_count; ++i) {
        const sotto_forward_category &step = m.forward.category[i];
        if (!leaves_noise(step.to_value[0], 64) || !leaves_noise(step.to_value[1], 64)) {
            return false;
        }
    }
    return m.forward.category != nullptr;
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_k_randomized_response = {SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE,
                                                     sotto::shown::index,
                                                     sotto::steps::category,
                                                     0,
                                                     sotto::size,
                                                     sotto::encode,
                                                     sotto::level_bytes,
                                                     sotto::draw,
                                                     nullptr, // published
                                                     nullptr, // strings
                                                     nullptr, // reports
                                                     sotto::is_sound};
const sotto_forward_code sotto_forward_code_category = {sotto::steps::category, sotto::step_bytes,
                                                        sotto::draw_step, sotto::are_steps};
