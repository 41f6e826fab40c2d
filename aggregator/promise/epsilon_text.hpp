// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROMISE_EPSILON_TEXT_HPP
#define SOTTO_AGGREGATOR_PROMISE_EPSILON_TEXT_HPP

#include "aggregator/registry/registry.hpp"

#include <array>

namespace sotto::aggregator {

// How many reports standard errors are given for.
inline constexpr std::array<std::uint64_t, 3> fleets = {1'000, 100'000, 10'000'000};

// For whoever signs: each metric's promise in sentences, then its numbers, in lines of `width`
// characters; sentences have 100 at most.
std::string epsilon_table(const registry &known, std::size_t width);

} // namespace sotto::aggregator
#endif
