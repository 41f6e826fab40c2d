// SPDX-License-Identifier: Apache-2.0
#include "client/table_check.hpp"
#include "mechanism/code.hpp"
#include "mechanism/draws.hpp"
#include "mechanism/unary.hpp"

namespace sotto {
namespace {

bool is_unary(const sotto_metric &m) {
    const sotto_unary *table = m.table.unary;
    return (m.type == SOTTO_TYPE_CATEGORY || m.type == SOTTO_TYPE_SET) && table != nullptr &&
           table->size >= 2 && table->size <= 1024 && table->max_members >= 1 &&
           table->max_members <= table->size &&
           (m.type == SOTTO_TYPE_SET || table->max_members == 1) &&
           are_channels(table->channel, m.level_count) &&
           hides(table->channel[m.level_count - 1]) && m.value_words == unary_words(table->size);
}

} // namespace
} // namespace sotto

using namespace sotto;

const sotto_code sotto_code_optimized_unary = {SOTTO_MECHANISM_OPTIMIZED_UNARY, unary_bytes,
                                               draw_unary, is_unary, nullptr};
const sotto_code sotto_code_unary = {SOTTO_MECHANISM_UNARY, unary_bytes, draw_unary, is_unary,
                                     nullptr};
