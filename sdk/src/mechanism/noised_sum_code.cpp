// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/noised_sum.hpp"
#include "mechanism/table_check.hpp"
#include "random/fixed_time.hpp"
#include "random/modular_laplace.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &) { return 0; }

// An event's amount.
uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const uint32_t amount = static_cast<const uint32_t *>(value.value)[0];
    words[0] = clamped_amount(*m.table.noised_sum, amount);
    return ~is_zero(words[0] ^ amount) & SOTTO_VALUE_CLAMPED;
}

size_t level_bytes(const sotto_metric &m, uint32_t) {
    return modular_laplace_bytes(*m.table.noised_sum->noise);
}

// A row of any class, from a sum: it begins as the noise on 0.
uint32_t draw(const sotto_metric &m, uint32_t, uint32_t, uint32_t from, const uint8_t *random) {
    return from + modular_laplace(*m.table.noised_sum->noise, random);
}

bool are_classes(const sotto_noised_sum &table) {
    for (uint32_t i = 0; i < table.class_count; ++i) {
        const sotto_row_class &row_class = table.classes[i];
        if (row_class.rows == 0 || row_class.rows > SOTTO_SUM_ROWS_MAX || row_class.step == 0 ||
            row_class.step > SOTTO_SUM_SPAN_MAX ||
            row_class.rows * row_class.step > SOTTO_SUM_SPAN_MAX) {
            return false;
        }
    }
    return true;
}

bool is_block(const sotto_noised_sum &table) {
    return table.shows <= SOTTO_SHOWS_BALANCED && table.block <= SOTTO_SUM_SPAN_MAX &&
           (table.shows == SOTTO_SHOWS_ROWS) == (table.block == 0);
}

uint32_t most_words(const sotto_noised_sum &table) {
    return table.shows == SOTTO_SHOWS_ROWS ? table.class_count : uint32_t{1};
}

bool is_sound(const sotto_metric &m) {
    const sotto_noised_sum *table = m.table.noised_sum;
    return m.type == SOTTO_TYPE_COUNTER && m.level_count == 1 && m.forward_count == 0 &&
           m.client != nullptr && table != nullptr && table->noise != nullptr &&
           table->classes != nullptr && table->class_count >= 1 &&
           table->class_count <= SOTTO_SUM_CLASSES_MAX && is_block(*table) &&
           m.value_words == most_words(*table) && are_classes(*table) && table->event >= 1 &&
           table->event <= SOTTO_EVENT_MAX && is_geometric(table->noise->size) &&
           table->noise->size.has_overflow == 0 && number(table->noise->nonzero) >= noise_min(64);
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_noised_sum = {SOTTO_MECHANISM_NOISED_SUM,
                                          sotto::shown::rows,
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
