// SPDX-License-Identifier: Apache-2.0
#include "mechanism/one_bit_mean.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

uint32_t clamped_number(const sotto_one_bit_mean &table, uint32_t value) {
    return clamp_signed(value, static_cast<uint32_t>(table.min), static_cast<uint32_t>(table.max));
}

uint32_t rounded_to_one_bit(const sotto_one_bit_mean &table, uint32_t value,
                            const uint8_t *random) {
    return less(load32(random), (value - static_cast<uint32_t>(table.min)) * table.scale) & 1;
}

} // namespace sotto
