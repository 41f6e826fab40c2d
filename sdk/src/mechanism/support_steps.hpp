// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_SUPPORT_STEPS_HPP
#define SOTTO_MECHANISM_SUPPORT_STEPS_HPP

#include "mechanism/table_check.hpp"
#include "random/bernoulli.hpp"
#include "random/fixed_time.hpp"
#include "sotto/registry.h"

namespace sotto {

// Steps by sotto_forward_support, of several mechanisms. Takes bernoulli_bytes.
inline mask stays(const sotto_forward_support &step, mask supports, const uint8_t *random) {
    const mask stays_if_not = mask_of_bit(bernoulli(step.keep_last[0], random));
    const mask stays_if = mask_of_bit(bernoulli(step.keep_last[1], random));
    return select(supports, stays_if, stays_if_not);
}

inline bool are_support_steps(const sotto_metric &m) {
    for (uint8_t i = 0; m.forward.support != nullptr && i < m.forward_count; ++i) {
        const sotto_forward_support &step = m.forward.support[i];
        if (is_zero(step.keep) || !leaves_noise(step.keep, 64) ||
            !leaves_noise(step.keep_last[0], 64) || !leaves_noise(step.keep_last[1], 64)) {
            return false;
        }
    }
    return m.forward.support != nullptr;
}

} // namespace sotto
#endif
