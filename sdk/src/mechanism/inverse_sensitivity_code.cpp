// SPDX-License-Identifier: Apache-2.0
#include "mechanism/bins.hpp"
#include "mechanism/code.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

// A quantile of many points by inverse sensitivity (Asi, Duchi 2020): P(answer) is in proportion to
// weight[len]. len is how many steps make the answer the quantile; in a step one point moves by
// delta bins at most. `room` is one word a bin. Points, room and randomness are secret, tables and
// the number of points public. Fixed time.
constexpr size_t answer_bytes = 12;

// Below the quantile's bin. All points up to the rank that lie above a bin come to it, each in
// ceil(distance / delta) steps. They add up from bins delta apart, from the top down.
void steps_below(uint32_t bins, uint32_t delta, uint32_t rank, uint32_t quantile, uint32_t *room) {
    for (uint32_t bin = bins; bin-- > 0;) {
        uint32_t steps = rank - room[bin];
        if (bin + delta < bins) {
            steps += room[bin + delta] & less(bin + delta, quantile);
        }
        room[bin] = select(less(bin, quantile), steps, room[bin]);
    }
}

// Above it likewise: all points from the rank on that lie before the bin.
void steps_above(uint32_t bins, uint32_t delta, uint32_t rank, uint32_t quantile, uint32_t *room) {
    uint32_t before = 0;
    for (uint32_t bin = 0; bin < bins; ++bin) {
        uint32_t steps = before - rank + 1;
        if (bin >= delta) {
            steps += room[bin - delta] & less(quantile, bin - delta);
        }
        before = room[bin];
        room[bin] = select(less(quantile, bin), steps, before & less(bin, quantile));
    }
}

uint64_t sum_of(const uint32_t *room, uint32_t bins) {
    uint64_t sum = 0;
    for (uint32_t bin = 0; bin < bins; ++bin) {
        sum += room[bin];
    }
    return sum;
}

// floor(u * total / 2^96), bit by bit: a long product takes a time that tells, on Cortex-M3. A mask
// of 64 bits would be made by one.
uint64_t part_of(uint64_t total, const uint8_t *random) {
    const auto low = static_cast<uint32_t>(total), high = static_cast<uint32_t>(total >> 32);
    uint64_t part = 0;
    for (size_t bit = 0; bit < 8 * answer_bytes; ++bit) {
        const mask is_one = mask_of_bit(static_cast<uint32_t>(random[bit / 8]) >> (bit % 8));
        part = (part + (uint64_t{high & is_one} << 32 | (low & is_one))) >> 1;
    }
    return part;
}

// 1 where a < b; by limbs, as a comparison compiles to branches on Cortex-M0.
uint32_t is_less(uint64_t a, uint64_t b) {
    const uint32_t borrow = borrow_of(static_cast<uint32_t>(a), static_cast<uint32_t>(b), 0);
    return borrow_of(static_cast<uint32_t>(a >> 32), static_cast<uint32_t>(b >> 32), borrow);
}

// The rank of the quantile among so many points, from 1 on: ceil(count * rank / 1000).
// Without a division, which takes a time that tells, although nothing is secret here.
uint32_t rank_among(const sotto_inverse_sensitivity &table, uint32_t count) {
    uint32_t rank = 0;
    for (uint32_t covered = 0; covered < count * table.rank; covered = opaque(covered + 1000)) {
        ++rank;
    }
    return rank;
}

// Adds the points to room: how many lie in a bin or before it. No sorting: every bin is touched for
// every point. Returns 1 if one lay outside, and was clamped.
uint32_t count_points(const sotto_inverse_sensitivity &table, const int32_t *points, size_t count,
                      uint32_t *room) {
    const equal_bins by = {table.bins, table.rest, table.step};
    const auto min = static_cast<uint32_t>(table.min), max = static_cast<uint32_t>(table.max);
    uint32_t changed = 0;
    for (size_t i = 0; i < count; ++i) {
        const auto number = static_cast<uint32_t>(points[i]);
        const uint32_t clamped = clamp_signed(number, min, max);
        changed |= clamped ^ number;
        const uint32_t own = bin_of(by, clamped - min);
        for (uint32_t bin = 0; bin < by.bins; ++bin) {
            room[bin] += 1 + less(bin, own);
        }
    }
    return ~is_zero(changed) & 1;
}

// In place: for each bin the steps until it has the point of that rank.
void counts_to_steps(const sotto_inverse_sensitivity &table, uint32_t rank, uint32_t *room) {
    uint32_t quantile = 0;
    for (uint32_t bin = 0; bin < table.bins; ++bin) {
        quantile += less(room[bin], rank) & 1;
    }
    steps_below(table.bins, table.delta, rank, quantile, room);
    steps_above(table.bins, table.delta, rank, quantile, room);
}

// In place. Every weight is read for every bin.
void steps_to_weights(const sotto_inverse_sensitivity &table, uint32_t *room) {
    const uint32_t last = table.weight_count - 1u;
    for (uint32_t bin = 0; bin < table.bins; ++bin) {
        uint32_t weight = table.weight[last];
        for (uint32_t steps = 0; steps < last; ++steps) {
            weight = select(equal(room[bin], steps), table.weight[steps], weight);
        }
        room[bin] = weight;
    }
}

// The bin of the part floor(u * total / 2^96) in the running sum of weights.
uint32_t draw_answer(const sotto_inverse_sensitivity &table, const uint32_t *room,
                     const uint8_t *random) {
    const uint64_t part = part_of(sum_of(room, table.bins), random);
    uint64_t sum = 0;
    uint32_t answer = 0;
    for (uint32_t bin = 0; bin < table.bins; ++bin) {
        sum += room[bin];
        answer += 1 - is_less(part, sum);
    }
    return answer;
}

uint32_t size(const sotto_metric &m) { return m.table.inverse_sensitivity->bins; }

size_t level_bytes(const sotto_metric &, uint32_t) { return answer_bytes; }

// `words` are one a bin, as the client has them beside those of a release; the first becomes the
// answer. value.bytes are answer_bytes.
uint32_t encode(const sotto_metric &m, const given &value, uint32_t *words) {
    const sotto_inverse_sensitivity &table = *m.table.inverse_sensitivity;
    const auto *points = static_cast<const int32_t *>(value.value);
    const uint32_t changed = count_points(table, points, value.count, words);
    counts_to_steps(table, rank_among(table, static_cast<uint32_t>(value.count)), words);
    steps_to_weights(table, words);
    words[0] = draw_answer(table, words, value.bytes);
    return changed * SOTTO_VALUE_CLAMPED;
}

// `encode` has drawn it.
uint32_t draw(const sotto_metric &, uint32_t, uint32_t, uint32_t from, const uint8_t *) {
    return from;
}

// A step may not tell more than epsilon 32 does: half of it a weight, e^16.
bool are_weights(const sotto_inverse_sensitivity &table) {
    constexpr uint64_t falls_by = 8886111;
    if (table.weight == nullptr || table.weight_count < 2 ||
        table.weight_count > SOTTO_WEIGHTS_MAX || table.weight[table.weight_count - 1] == 0) {
        return false;
    }
    for (uint32_t i = 1; i < table.weight_count; ++i) {
        if (table.weight[i] > table.weight[i - 1] ||
            table.weight[i - 1] > falls_by * table.weight[i]) {
            return false;
        }
    }
    return true;
}

bool is_sound(const sotto_metric &m) {
    const sotto_inverse_sensitivity *table = m.table.inverse_sensitivity;
    return m.type == SOTTO_TYPE_QUANTILE && m.level_count == 1 && m.forward_count == 0 &&
           table != nullptr &&
           divide({table->bins, table->rest, table->step}, table->min, table->max) &&
           table->delta >= 1 && table->delta < table->bins && table->rank >= 1 &&
           table->rank <= 999 && are_weights(*table) && m.value_words == 1 && m.client != nullptr;
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_inverse_sensitivity = {SOTTO_MECHANISM_INVERSE_SENSITIVITY,
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
