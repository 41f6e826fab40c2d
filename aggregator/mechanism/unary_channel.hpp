// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_UNARY_CHANNEL_HPP
#define SOTTO_AGGREGATOR_MECHANISM_UNARY_CHANNEL_HPP

#include "aggregator/statistics/bit_channel.hpp"

namespace sotto::aggregator {

// The loss between any two admissible sets of at most `most` out of `size` members, when every
// member is a bit through this channel. With L1 = ln(beta / gamma) and L0 = ln((1 - gamma) / (1 -
// beta)):
//   most (L1 + L0) where size >= 2 most, else most max(L1, L0) + (size - most) min(L1, L0).
double set_loss(const bit_channel &channel, double size, double most);
// The loss of one out of `size` categories: L1 + L0.
double one_hot_loss(const bit_channel &channel);

// The channels that lose just that: gamma = 1 - beta, and beta = 1/2.
bit_channel symmetric_for_category(double epsilon);
bit_channel optimized_for_category(double epsilon);
bit_channel symmetric_for_set(double epsilon, double size, double most);
bit_channel optimized_for_set(double epsilon, double size, double most);

} // namespace sotto::aggregator
#endif
