// SPDX-License-Identifier: Apache-2.0
#include "mechanism/mix.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

uint32_t mix(const sotto_threshold &keep, uint32_t answer, uint32_t size, const uint8_t *random) {
    const mask keeps = mask_of_bit(bernoulli(keep, random));
    return select(keeps, answer, uniform_below(size, random + bernoulli_bytes));
}

} // namespace sotto
