// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE_HPP
#define SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE_HPP

#include "random/bernoulli.hpp"
#include "random/uniform.hpp"
#include "sotto/registry.h"

namespace sotto {

inline constexpr size_t k_randomized_response_bytes = bernoulli_bytes + uniform_bytes;

// k-ary randomized response (Kairouz, Oh, Viswanath 2014), written as "keep, else uniform over
// all". At the top keep = (e^epsilon - 1) / (e^epsilon + k - 1). Level i keeps level i + 1 with the
// ratio of the two. Every redraw has the same law, so a level is the true value with the product of
// the keeps and that law otherwise.
//
// The category at `level` from the true one (top) or the one above it. Takes
// k_randomized_response_bytes. Pure; fixed time for every category and all randomness.
uint32_t k_randomized_response(const sotto_k_randomized_response &table, uint32_t level,
                               uint32_t category, const uint8_t *random);

inline constexpr size_t forward_category_bytes = k_randomized_response_bytes;

// A level above the ladder, drawn forward from the last category published and the true one. The
// law is that of the next level given the last, by Bayes. Takes forward_category_bytes; fixed time
// as above.
uint32_t forward_category(const sotto_forward_category &step, uint32_t size, uint32_t last,
                          uint32_t true_category, const uint8_t *random);

} // namespace sotto
#endif
