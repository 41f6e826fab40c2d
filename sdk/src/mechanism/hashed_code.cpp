// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/mix.hpp"
#include "mechanism/table_check.hpp"
#include "random/fixed_time.hpp"
#include "random/uniform.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &m) { return m.table.hashed->size; }

uint32_t big_endian(const uint8_t *bytes) {
    return static_cast<uint32_t>(bytes[0]) << 24 | static_cast<uint32_t>(bytes[1]) << 16 |
           static_cast<uint32_t>(bytes[2]) << 8 | static_cast<uint32_t>(bytes[3]);
}

// The digest becomes the hash value, as permanent noise goes by it. Values with one hash value
// share their noise: a device has `size` permanent answers at most.
uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    words[0] = scaled(big_endian(value.bytes), size(m));
    for (uint32_t i = 0; i < string_digest_bytes; ++i) {
        value.bytes[i] = static_cast<uint8_t>(i < 4 ? words[0] >> (24 - 8 * i) : 0);
    }
    const uint32_t categories = m.table.hashed->categories;
    if (categories == 0) {
        return SOTTO_OK;
    }
    const mask inside = less(*static_cast<const uint32_t *>(value.value), categories);
    return ~inside & static_cast<uint32_t>(SOTTO_ERR_NO_SUCH_VALUE);
}

bool is_top(const sotto_metric &m, uint32_t level) { return level + 1u == m.level_count; }

// The permanent answer is the same at every level.
size_t permanent_bytes(const sotto_metric &m, uint32_t level) {
    return is_top(m, level) ? mix_bytes : 0;
}

uint32_t draw_permanent(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
                        const uint8_t *random) {
    return is_top(m, level) ? mix(m.table.hashed->permanent, from, size(m), random) : from;
}

uint32_t cohorts(const sotto_metric &m) { return m.table.hashed->cohorts; }
uint32_t max_bytes(const sotto_metric &m) { return m.table.hashed->max_bytes; }
constexpr uint32_t index_bytes = 4; // a category's, which are hashed
constexpr string_code strings = {cohorts, max_bytes};

uint32_t report_levels(const sotto_metric &m) { return m.level_count; }
bool is_chained(const sotto_metric &m, uint32_t level) { return level + 1u < m.level_count; }
size_t report_bytes(const sotto_metric &, uint32_t) { return mix_bytes; }

uint32_t draw_report(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
                     const uint8_t *random) {
    return mix(m.table.hashed->keep[level], from, size(m), random);
}

uint32_t no_list(const sotto_metric &) { return 0; }
const uint8_t *definition(const sotto_metric &m) { return m.table.hashed->definition; }

constexpr two_stages stages = {report_levels, is_chained, report_bytes,
                               draw_report,   no_list,    definition};

bool is_shape(const sotto_hashed &table) {
    return table.size >= 2 && table.size <= SOTTO_BITS_MAX && table.cohorts >= 1 &&
           table.cohorts <= SOTTO_COHORTS_MAX && table.max_bytes >= 1 &&
           table.max_bytes <= SOTTO_STRING_BYTES_MAX && table.definition != nullptr;
}

bool is_of_type(const sotto_hashed &table, uint8_t type) {
    if (type == SOTTO_TYPE_STRING) {
        return table.categories == 0;
    }
    return type == SOTTO_TYPE_CATEGORY && table.categories >= 2 &&
           table.categories <= SOTTO_CATEGORY_INDICES_MAX && table.max_bytes == index_bytes;
}

bool is_sound(const sotto_metric &m) {
    const sotto_hashed *table = m.table.hashed;
    if (table == nullptr || table->keep == nullptr || !is_shape(*table) ||
        !is_of_type(*table, m.type)) {
        return false;
    }
    for (uint8_t i = 0; i < m.level_count; ++i) {
        if (is_zero(table->keep[i])) {
            return false;
        }
    }
    return !is_zero(table->permanent) && leaves_noise(table->permanent, 64) &&
           m.client != nullptr && m.cost_reports > 0 && m.value_words == 1;
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_hashed = {SOTTO_MECHANISM_HASHED,
                                      sotto::shown::index,
                                      sotto::steps::none,
                                      0,
                                      sotto::size,
                                      sotto::encode,
                                      sotto::permanent_bytes,
                                      sotto::draw_permanent,
                                      nullptr, // published
                                      &sotto::strings,
                                      &sotto::stages,
                                      sotto::is_sound};
