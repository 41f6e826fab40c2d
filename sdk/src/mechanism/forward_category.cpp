// SPDX-License-Identifier: Apache-2.0
#include "mechanism/forward_category.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

uint32_t forward_category(const sotto_forward_category &step, uint32_t size, uint32_t last,
                          uint32_t true_category, const uint8_t *random) {
    const mask same = equal(last, true_category);
    const mask to_value_if_same = mask_of_bit(bernoulli(step.to_value[1], random));
    const mask to_value_if_not = mask_of_bit(bernoulli(step.to_value[0], random));
    const mask keep_if_not = mask_of_bit(bernoulli(step.keep_last, random));
    const uint32_t other = uniform_below(size, random + bernoulli_bytes);
    const uint32_t if_same = select(to_value_if_same, true_category, other);
    const uint32_t if_not =
        select(to_value_if_not, true_category, select(keep_if_not, last, other));
    return select(same, if_same, if_not);
}

} // namespace sotto
