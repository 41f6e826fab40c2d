// SPDX-License-Identifier: Apache-2.0
#include "mechanism/discrete_laplace.hpp"

#include "random/bernoulli.hpp"
#include "random/fixed_time.hpp"

namespace sotto {
namespace {

struct bounds {
    uint32_t low, high;
};

bounds published_range(const sotto_discrete_laplace &table) {
    return {static_cast<uint32_t>(table.publish_min), static_cast<uint32_t>(table.publish_max)};
}

// A number that stands at an end lay `tail` beyond it.
uint32_t unclamped(bounds range, uint32_t number, uint32_t tail) {
    return number + (equal(number, range.high) & tail) - (equal(number, range.low) & tail);
}

} // namespace

uint32_t clamped_value(const sotto_discrete_laplace &table, uint32_t value) {
    return clamp_signed(value, static_cast<uint32_t>(table.min), static_cast<uint32_t>(table.max));
}

uint32_t clip_l1(const sotto_discrete_laplace &table, uint32_t *values, size_t length) {
    const auto centre = static_cast<uint32_t>((table.min + table.max) >> 1);
    uint32_t left = table.l1_half, changed = 0;
    for (size_t i = 0; i < length; ++i) {
        const uint32_t distance = values[i] - centre;
        const mask negative = mask_of_bit(distance >> 31);
        const uint32_t size = negate_if(negative, distance);
        const uint32_t kept = select(less(left, size), left, size);
        values[i] = centre + negate_if(negative, kept);
        left -= kept;
        changed |= size ^ kept;
    }
    return ~is_zero(changed) & 1;
}

uint32_t laplace_top(const sotto_discrete_laplace &table, uint32_t level, uint32_t value,
                     const uint8_t *random) {
    const bounds range = published_range(table);
    return clamp_signed(value + laplace(table.noise[level], random), range.low, range.high);
}

uint32_t laplace_below(const sotto_discrete_laplace &table, uint32_t level, uint32_t above,
                       const uint8_t *random) {
    const bounds range = published_range(table);
    const sotto_laplace_noise &noise = table.noise[level];
    const uint32_t added = laplace(noise, random);
    const uint32_t tail = geometric(table.noise[level + 1].size, random + laplace_bytes(noise));
    return clamp_signed(unclamped(range, above, tail) + added, range.low, range.high);
}

uint32_t forward_laplace(const sotto_discrete_laplace &table, const sotto_forward_laplace &step,
                         uint32_t last, uint32_t value, const uint8_t *random) {
    const mask opposite = mask_of_bit(bernoulli(step.opposite, random));
    const mask stay = mask_of_bit(bernoulli(step.stay, random + 8));
    random += 16;
    const uint32_t within = geometric(step.within, random);
    random += geometric_bytes(step.within);
    const uint32_t beyond = geometric(step.beyond, random);
    random += geometric_bytes(step.beyond);
    const uint32_t tail = geometric(step.tail, random);

    const bounds range = published_range(table);
    const uint32_t noise = unclamped(range, last, tail) - value;
    const mask negative = mask_of_bit(noise >> 31);
    const uint32_t size = negate_if(negative, noise);
    const mask overflow = mask_of_bit(within >> step.within.digit_count);
    const mask is_within = ~less(size, within) & ~overflow;
    const uint32_t on_its_side = select(is_within, within, select(stay, size, size + 1 + beyond));
    const uint32_t next_size = select(opposite, 1 + beyond, on_its_side);
    const mask next_negative = negative ^ opposite;
    // The size may exceed what a signed sum holds: clamp the size before adding it.
    const uint32_t room = select(next_negative, value - range.low, range.high - value);
    return value + negate_if(next_negative, select(less(room, next_size), room, next_size));
}

} // namespace sotto
