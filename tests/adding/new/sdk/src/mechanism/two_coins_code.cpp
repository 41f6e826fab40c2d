// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/table_check.hpp"
#include "random/bernoulli.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &) { return 2; }

// The first coin says whether the bit stays, a byte says what it is else.
size_t level_bytes(const sotto_metric &, uint32_t) { return bernoulli_bytes + 1; }

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    const mask stays = mask_of_bit(bernoulli(m.table.two_coins->keep[level], random));
    return select(stays, from & 1, random[bernoulli_bytes] >> 7);
}

bool is_sound(const sotto_metric &m) {
    if (m.type != SOTTO_TYPE_BOOLEAN || m.table.two_coins == nullptr ||
        m.table.two_coins->keep == nullptr) {
        return false;
    }
    for (uint8_t i = 0; i < m.level_count; ++i) {
        if (is_zero(m.table.two_coins->keep[i])) {
            return false;
        }
    }
    return leaves_noise(m.table.two_coins->keep[m.level_count - 1], 64) && m.value_words == 1;
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_two_coins = {SOTTO_MECHANISM_TWO_COINS,
                                         sotto::shown::index,
                                         sotto::steps::none,
                                         0,
                                         sotto::size,
                                         nullptr, // encode
                                         sotto::level_bytes,
                                         sotto::draw,
                                         nullptr, // published
                                         nullptr, // strings
                                         nullptr, // reports
                                         sotto::is_sound};
