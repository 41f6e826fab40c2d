// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_UNARY_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_UNARY_HPP

#include "aggregator/estimate/bit_channel.hpp"

#include <vector>

namespace sotto::aggregator {

// A bit for each category or member, each through the same channel, so each is estimated for itself
// as bit_channel.hpp says. Symmetric (one_if_zero = 1 - one_if_one), optimized (one_if_one = 1/2;
// Wang et al. 2017, section 4.3), and basic RAPPOR with its p* and q*: the formula is the same.
//
// `bits` are the reports and, member by member, the ones of one level.
struct unary_count {
    std::uint64_t reports = 0;
    std::vector<std::uint64_t> ones;
};

// How many releases hold each member. One count and one channel a level; a level without reports
// may leave `ones` empty.
std::vector<estimated> estimate_unary(std::span<const unary_count> counts,
                                      std::span<const bit_channel> channels, std::size_t size);

} // namespace sotto::aggregator
#endif
