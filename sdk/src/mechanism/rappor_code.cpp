// SPDX-License-Identifier: Apache-2.0
#include "mechanism/bits.hpp"
#include "mechanism/code.hpp"
#include "mechanism/rappor.hpp"
#include "mechanism/table_check.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &m) { return m.table.rappor->bits; }

uint32_t encode_string(const sotto_metric &m, const given &value, uint32_t *words) {
    bloom_bits(*m.table.rappor, value.bytes, words);
    return SOTTO_OK;
}

uint32_t encode_category(const sotto_metric &m, const given &value, uint32_t *words) {
    return encode_one(size(m), value, words);
}

size_t permanent_bytes(const sotto_metric &m, uint32_t level) {
    return bernoulli_lanes_bytes(m.table.rappor->permanent[level]);
}

uint32_t draw_permanent(const sotto_metric &m, uint32_t level, uint32_t index, uint32_t from,
                        const uint8_t *random) {
    const sotto_rappor &table = *m.table.rappor;
    return noised_bits(table.permanent[level], table.bits, index, from, random);
}

uint32_t cohorts(const sotto_metric &m) { return m.table.rappor->cohorts; }
uint32_t max_bytes(const sotto_metric &m) { return m.table.rappor->max_bytes; }
constexpr string_code strings = {cohorts, max_bytes};

uint32_t report_levels(const sotto_metric &m) {
    return uint32_t{m.level_count} + (m.table.rappor->forward_permanent != 0 ? m.forward_count : 0);
}

bool is_level_chained(const sotto_metric &m, uint32_t level) {
    return is_chained(*m.table.rappor, level);
}

size_t report_bytes(const sotto_metric &m, uint32_t level) {
    return bernoulli_lanes_bytes(m.table.rappor->instantaneous[level]);
}

uint32_t draw_report(const sotto_metric &m, uint32_t level, uint32_t index, uint32_t from,
                     const uint8_t *random) {
    return instantaneous_bits(*m.table.rappor, level, index, from, random);
}

uint32_t values(const sotto_metric &m) {
    return m.table.rappor->protects_sequence == 0 ? m.table.rappor->max_values : 0u;
}

const uint8_t *definition(const sotto_metric &m) { return m.table.rappor->definition; }

constexpr two_stages stages = {report_levels, is_level_chained, report_bytes,
                               draw_report,   values,           definition};

bool are_reports_drawn(const sotto_metric &m) {
    for (uint32_t level = 0; level < report_levels(m); ++level) {
        if (report_bytes(m, level) > m.random_bytes) {
            return false;
        }
    }
    return true;
}

bool is_sound(const sotto_metric &m, bool one_hot) {
    const sotto_rappor *table = m.table.rappor;
    if (table == nullptr || table->bits < 2 || table->bits > SOTTO_BITS_MAX || table->cohorts < 1 ||
        table->cohorts > SOTTO_COHORTS_MAX || table->max_values < 1 ||
        table->max_bytes > SOTTO_STRING_BYTES_MAX || table->hashes > SOTTO_HASHES_MAX ||
        (table->chained >> (m.level_count - 1)) != 0) {
        return false;
    }
    if (table->protects_sequence == 0 && table->definition == nullptr) {
        return false;
    }
    const bool fits_kind = one_hot ? table->hashes == 0 && table->cohorts == 1
                                   : table->hashes >= 1 && table->max_bytes >= 1;
    return fits_kind && are_channels(table->permanent, m.level_count) &&
           hides(table->permanent[m.level_count - 1]) &&
           are_channels(table->instantaneous, static_cast<uint8_t>(report_levels(m))) &&
           are_reports_drawn(m) && m.client != nullptr && m.value_words == bit_words(table->bits);
}

bool is_sound_string(const sotto_metric &m) {
    return m.type == SOTTO_TYPE_STRING && is_sound(m, false);
}

bool is_sound_category(const sotto_metric &m) {
    return m.type == SOTTO_TYPE_CATEGORY && is_sound(m, true);
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_rappor = {SOTTO_MECHANISM_RAPPOR,
                                      sotto::shown::bits,
                                      sotto::steps::bits,
                                      0,
                                      sotto::size,
                                      sotto::encode_string,
                                      sotto::permanent_bytes,
                                      sotto::draw_permanent,
                                      nullptr, // published
                                      &sotto::strings,
                                      &sotto::stages,
                                      sotto::is_sound_string};
const sotto_code sotto_code_basic_rappor = {SOTTO_MECHANISM_BASIC_RAPPOR,
                                            sotto::shown::bits,
                                            sotto::steps::bits,
                                            0,
                                            sotto::size,
                                            sotto::encode_category,
                                            sotto::permanent_bytes,
                                            sotto::draw_permanent,
                                            nullptr, // published
                                            nullptr, // strings
                                            &sotto::stages,
                                            sotto::is_sound_category};
