// SPDX-License-Identifier: Apache-2.0
#include "client/table_check.hpp"
#include "mechanism/code.hpp"
#include "mechanism/draws.hpp"

namespace sotto {
namespace {

bool is_k_randomized_response(const sotto_metric &m) {
    const sotto_k_randomized_response *table = m.table.k_randomized_response;
    if (m.type != SOTTO_TYPE_CATEGORY || table == nullptr || table->keep == nullptr ||
        table->size < 2 || table->size > 65535) {
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

bool are_forward_categories(const sotto_metric &m) {
    for (uint8_t i = 0; m.forward.category != nullptr && i < m.forward_count; ++i) {
        const sotto_forward_category &step = m.forward.category[i];
        if (!leaves_noise(step.to_value[0], 64) || !leaves_noise(step.to_value[1], 64)) {
            return false;
        }
    }
    return m.forward.category != nullptr && m.mechanism == SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE;
}

} // namespace
} // namespace sotto

using namespace sotto;

const sotto_code sotto_code_k_randomized_response = {SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE,
                                                     category_bytes, draw_category,
                                                     is_k_randomized_response, nullptr};
const sotto_forward_code sotto_forward_code_category = {forward_choice_bytes, draw_forward_choice,
                                                        are_forward_categories};
