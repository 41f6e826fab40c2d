// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/table_check.hpp"
#include "random/bernoulli.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &m) { return m.table.exponential->size; }

uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    words[0] = *static_cast<const uint32_t *>(value.value);
    return ~less(words[0], size(m)) & static_cast<uint32_t>(SOTTO_ERR_NO_SUCH_VALUE);
}

size_t level_bytes(const sotto_metric &, uint32_t) { return bernoulli_bytes; }

const sotto_threshold *row_of(const sotto_metric &m, uint32_t level, uint32_t from) {
    return m.table.exponential->rows + size_t{level * size(m) + from} * (size(m) - 1);
}

// Every row is read, and every threshold of one asked, so that time and addresses tell none. All
// use the same random number: the categories whose ends lie at or below it are passed.
uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    uint32_t drawn = 0;
    for (uint32_t end_index = 0; end_index + 1 < size(m); ++end_index) {
        sotto_threshold end = {{0, 0}};
        for (uint32_t row = 0; row < size(m); ++row) {
            const sotto_threshold &here = row_of(m, level, row)[end_index];
            const mask is_own = equal(row, from);
            end.limb[0] |= is_own & here.limb[0];
            end.limb[1] |= is_own & here.limb[1];
        }
        drawn += 1 ^ bernoulli(end, random);
    }
    return drawn;
}

// At the top no category tells a value, and none is told for certain.
bool is_row(const sotto_threshold *row, uint32_t count) {
    constexpr uint64_t least = uint64_t{1} << 16;
    uint64_t last = 0;
    for (uint32_t end_index = 0; end_index < count; ++end_index) {
        if (number(row[end_index]) < last || number(row[end_index]) - last < least) {
            return false;
        }
        last = number(row[end_index]);
    }
    return ~last >= least;
}

bool is_sound(const sotto_metric &m) {
    const sotto_exponential *table = m.table.exponential;
    if (m.type != SOTTO_TYPE_CATEGORY || table == nullptr || table->rows == nullptr ||
        table->size < 2 || table->size > SOTTO_SCORED_MAX) {
        return false;
    }
    for (uint32_t from = 0; from < table->size; ++from) {
        if (!is_row(row_of(m, m.level_count - 1u, from), table->size - 1u)) {
            return false;
        }
    }
    return m.value_words == 1;
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_exponential = {SOTTO_MECHANISM_EXPONENTIAL,
                                           sotto::shown::index,
                                           sotto::steps::none,
                                           0,
                                           sotto::size,
                                           sotto::encode,
                                           sotto::level_bytes,
                                           sotto::draw,
                                           nullptr, // published
                                           nullptr, // strings
                                           nullptr, // reports
                                           sotto::is_sound};
