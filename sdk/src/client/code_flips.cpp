// SPDX-License-Identifier: Apache-2.0
#include "client/table_check.hpp"
#include "mechanism/code.hpp"
#include "mechanism/draws.hpp"

namespace sotto {
namespace {

bool is_randomized_response(const sotto_metric &m) {
    return m.type == SOTTO_TYPE_BOOLEAN && m.table.randomized_response != nullptr &&
           are_flips(m.table.randomized_response->flip, m.level_count) && m.value_words == 1;
}

bool is_one_bit_mean(const sotto_metric &m) {
    const sotto_one_bit_mean *table = m.table.one_bit_mean;
    if (m.type != SOTTO_TYPE_MEAN || table == nullptr || table->min >= table->max ||
        table->min < -number_max || table->max > number_max) {
        return false;
    }
    const uint32_t span = static_cast<uint32_t>(table->max) - static_cast<uint32_t>(table->min);
    return table->scale == UINT32_MAX / span && are_flips(table->flip, m.level_count) &&
           m.value_words == 1;
}

} // namespace
} // namespace sotto

using namespace sotto;

const sotto_code sotto_code_randomized_response = {SOTTO_MECHANISM_RANDOMIZED_RESPONSE, flip_bytes,
                                                   draw_flipped, is_randomized_response, nullptr};
const sotto_code sotto_code_one_bit_mean = {SOTTO_MECHANISM_ONE_BIT_MEAN, flip_bytes, draw_rounded,
                                            is_one_bit_mean, nullptr};
