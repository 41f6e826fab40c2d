// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_METRIC_CHANNEL_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_METRIC_CHANNEL_HPP

#include "aggregator/estimate/bit_channel.hpp"
#include "aggregator/registry/registry.hpp"

#include <optional>
#include <vector>

namespace sotto::aggregator {

// A level's channel for the question whether a release is true, of one category, has one member or
// one bit. Nothing where a metric's values are numbers.
std::optional<bit_channel> metric_channel(const metric &m, std::size_t level);

// By level, forward ones too; empty where they are numbers.
std::vector<bit_channel> metric_channels(const metric &m);

} // namespace sotto::aggregator
#endif
