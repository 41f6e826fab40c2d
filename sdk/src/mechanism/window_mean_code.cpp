// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/support_steps.hpp"
#include "mechanism/windows.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

// The piecewise mechanism of Wang and others (ICDE 2019) in integers. A number is rounded at random
// to a bin, once a release: the mean of bins is the mean of numbers. The bin goes through windows.
constexpr uint8_t rounding_bytes = 4;
static_assert(rounding_bytes <= mix_bytes); // a draw has room for them

uint32_t size(const sotto_metric &m) { return answers(*m.table.window_mean); }

uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const sotto_window_mean &table = *m.table.window_mean;
    const uint32_t number = *static_cast<const uint32_t *>(value.value);
    const uint32_t low = static_cast<uint32_t>(table.min);
    const uint32_t clamped = clamp_signed(number, low, static_cast<uint32_t>(table.max));
    const uint32_t place = (clamped - low) * table.scale, steps = table.bins - 1u;
    // The bin below, and what is beyond it out of 2^32.
    words[0] = scaled(place, steps) + (less(load32(value.bytes), place * steps) & 1);
    return ~equal(clamped, number) & SOTTO_VALUE_CLAMPED;
}

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    return draw_answer(*m.table.window_mean, m, level, from, random);
}

bool is_sound(const sotto_metric &m) {
    const sotto_window_mean *table = m.table.window_mean;
    if (m.type != SOTTO_TYPE_MEAN || table == nullptr || table->keep == nullptr ||
        table->min >= table->max || table->min < -SOTTO_NUMBER_MAX ||
        table->max > SOTTO_NUMBER_MAX || table->bins < 2 || table->bins > SOTTO_BINS_MAX) {
        return false;
    }
    const uint32_t span = static_cast<uint32_t>(table->max) - static_cast<uint32_t>(table->min);
    return table->scale == UINT32_MAX / span && are_sound_windows(*table, m);
}

size_t step_bytes(const sotto_metric &, uint32_t) {
    return bernoulli_bytes + mix_bytes + uniform_bytes;
}

uint32_t draw_step(const sotto_metric &m, uint32_t step, uint32_t, uint32_t last, uint32_t bin,
                   const uint8_t *random) {
    const sotto_window_mean &table = *m.table.window_mean;
    const sotto_forward_support &way = m.forward.support[step];
    const mask supports = less(last - bin, 2u * table.half + 1); // wraps below the bin
    return select(stays(way, supports, random), last,
                  fresh_answer(table, way.keep, bin, random + bernoulli_bytes));
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_window_mean = {SOTTO_MECHANISM_WINDOW_MEAN,
                                           sotto::shown::index,
                                           sotto::steps::windows,
                                           sotto::rounding_bytes,
                                           sotto::size,
                                           sotto::encode,
                                           sotto::window_bytes,
                                           sotto::draw,
                                           nullptr, // published
                                           nullptr, // strings
                                           nullptr, // reports
                                           sotto::is_sound};
const sotto_forward_code sotto_forward_code_window_mean = {
    sotto::steps::windows, sotto::step_bytes, sotto::draw_step, sotto::are_support_steps};
