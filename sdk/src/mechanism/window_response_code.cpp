// SPDX-License-Identifier: Apache-2.0
#include "mechanism/bins.hpp"
#include "mechanism/code.hpp"
#include "mechanism/windows.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

// The square wave of Li, Wang, Lopuhaä-Zwakenberg, Li, Škorić (SIGMOD 2020) in integers: MIX whose
// supporting answers are a window around the value's bin.
equal_bins bins_of(const sotto_window_response &table) {
    return {table.bins, table.rest, table.step};
}

uint32_t size(const sotto_metric &m) { return answers(*m.table.window_response); }

uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const sotto_window_response &table = *m.table.window_response;
    const uint32_t number = *static_cast<const uint32_t *>(value.value);
    const uint32_t clamped =
        clamp_signed(number, static_cast<uint32_t>(table.min), static_cast<uint32_t>(table.max));
    words[0] = bin_of(bins_of(table), clamped - static_cast<uint32_t>(table.min));
    return ~equal(clamped, number) & SOTTO_VALUE_CLAMPED;
}

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    return draw_answer(*m.table.window_response, m, level, from, random);
}

bool is_sound(const sotto_metric &m) {
    const sotto_window_response *table = m.table.window_response;
    if (m.type != SOTTO_TYPE_DISTRIBUTION || table == nullptr || table->keep == nullptr ||
        !divide(bins_of(*table), table->min, table->max)) {
        return false;
    }
    return are_sound_windows(*table, m);
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_window_response = {SOTTO_MECHANISM_WINDOW_RESPONSE,
                                               sotto::shown::index,
                                               sotto::steps::none,
                                               0,
                                               sotto::size,
                                               sotto::encode,
                                               sotto::window_bytes,
                                               sotto::draw,
                                               nullptr, // published
                                               nullptr, // strings
                                               nullptr, // reports
                                               sotto::is_sound};
