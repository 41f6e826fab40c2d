// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/one_bit_mean.hpp"
#include "mechanism/randomized_response.hpp"
#include "mechanism/table_check.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

static_assert(one_bit_mean_bytes <= bernoulli_bytes); // a draw has room for them

// The bit names no value of its own.
uint32_t size(const sotto_metric &) { return 0; }

uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const uint32_t number = *static_cast<const uint32_t *>(value.value);
    const uint32_t clamped = clamped_number(*m.table.one_bit_mean, number);
    words[0] = rounded_to_one_bit(*m.table.one_bit_mean, clamped, value.bytes);
    return ~equal(clamped, number) & SOTTO_VALUE_CLAMPED;
}

size_t level_bytes(const sotto_metric &, uint32_t) { return bernoulli_bytes; }

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    return randomized_response(m.table.one_bit_mean->flip[level], from, random);
}

bool is_sound(const sotto_metric &m) {
    const sotto_one_bit_mean *table = m.table.one_bit_mean;
    if (m.type != SOTTO_TYPE_MEAN || table == nullptr || table->min >= table->max ||
        table->min < -SOTTO_NUMBER_MAX || table->max > SOTTO_NUMBER_MAX) {
        return false;
    }
    const uint32_t span = static_cast<uint32_t>(table->max) - static_cast<uint32_t>(table->min);
    return table->scale == UINT32_MAX / span && are_flips(table->flip, m.level_count) &&
           m.value_words == 1;
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_one_bit_mean = {SOTTO_MECHANISM_ONE_BIT_MEAN,
                                            sotto::shown::index,
                                            sotto::steps::bits,
                                            sotto::one_bit_mean_bytes,
                                            sotto::size,
                                            sotto::encode,
                                            sotto::level_bytes,
                                            sotto::draw,
                                            nullptr, // published
                                            nullptr, // strings
                                            nullptr, // reports
                                            sotto::is_sound};
