// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_MIX_HPP
#define SOTTO_MECHANISM_MIX_HPP

#include "random/bernoulli.hpp"
#include "random/uniform.hpp"
#include "sotto/registry.h"

namespace sotto {

inline constexpr size_t mix_bytes = bernoulli_bytes + uniform_bytes;

// The response of categories and of windows: an answer that supports the value, with probability
// keep, otherwise any of `size` answers. At the top `answer` is one of
// those that support the true value. Level i has the answer of level i + 1 in its place, and the
// ratio of the two keeps. Every redraw has the same law, so each level has exactly its own, and
// levels together lose what the highest loses.
//
// Takes mix_bytes. Pure; fixed time for every answer and all randomness.
uint32_t mix(const sotto_threshold &keep, uint32_t answer, uint32_t size, const uint8_t *random);

} // namespace sotto
#endif
