// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_FORWARD_CATEGORY_HPP
#define SOTTO_MECHANISM_FORWARD_CATEGORY_HPP

#include "random/bernoulli.hpp"
#include "random/uniform.hpp"
#include "sotto/registry.h"

namespace sotto {

inline constexpr size_t forward_category_bytes = bernoulli_bytes + uniform_bytes;

// A level above the ladder, drawn forward from the last category published and the true one. The
// law is that of the next level given the last, by Bayes. Takes forward_category_bytes. Pure; fixed
// time for every category and all randomness.
uint32_t forward_category(const sotto_forward_category &step, uint32_t size, uint32_t last,
                          uint32_t true_category, const uint8_t *random);

} // namespace sotto
#endif
