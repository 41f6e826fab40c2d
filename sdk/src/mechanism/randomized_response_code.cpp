// SPDX-License-Identifier: Apache-2.0
#include "mechanism/randomized_response.hpp"

#include "mechanism/code.hpp"
#include "mechanism/table_check.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &) { return 2; }

size_t level_bytes(const sotto_metric &, uint32_t) { return bernoulli_bytes; }

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    return randomized_response(m.table.randomized_response->flip[level], from, random);
}

bool is_sound(const sotto_metric &m) {
    return m.type == SOTTO_TYPE_BOOLEAN && m.table.randomized_response != nullptr &&
           are_flips(m.table.randomized_response->flip, m.level_count) && m.value_words == 1;
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_randomized_response = {SOTTO_MECHANISM_RANDOMIZED_RESPONSE,
                                                   sotto::shown::index,
                                                   sotto::steps::bits,
                                                   0,
                                                   sotto::size,
                                                   nullptr, // encode
                                                   sotto::level_bytes,
                                                   sotto::draw,
                                                   nullptr, // published
                                                   nullptr, // strings
                                                   nullptr, // reports
                                                   sotto::is_sound};
