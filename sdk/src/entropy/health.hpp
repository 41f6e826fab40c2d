// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_ENTROPY_HEALTH_HPP
#define SOTTO_ENTROPY_HEALTH_HPP

#include "entropy/cutoffs.hpp"
#include "sotto/sotto.h"

namespace sotto::entropy {

// Samples that the start-up test looks at and throws away (NIST SP 800-90B 4.3, item 4).
inline constexpr size_t startup_samples = 1024;

// The cutoffs for what a raw source claims, or for the next lower claim in the table. Null when it
// claims less than the table has, or more than its samples can hold. Bytes of any other are samples
// of eight bits.
const cutoffs *cutoffs_for(const sotto_entropy &source);

// The repetition count test (4.4.1) and the adaptive proportion test (4.4.2) of one sample more.
// Errors: ENTROPY_STUCK, ENTROPY_BIASED. A failure that good sources have with a probability of
// 2^-60 only marks the source dead.
sotto_status test(const sotto_entropy &source, const cutoffs &at, sotto_entropy_health &health,
                  uint8_t sample);

} // namespace sotto::entropy
#endif
