// SPDX-License-Identifier: Apache-2.0
// Mechanisms of windows share this.
#ifndef SOTTO_AGGREGATOR_MECHANISM_WINDOWS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_WINDOWS_HPP

#include "aggregator/mechanism/counted.hpp"
#include "aggregator/statistics/window_response.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace sotto::aggregator {

inline double loss_of(const window_channel &by) {
    return std::log1p(by.keep / static_cast<double>(by.width()) / by.outside());
}

// The channel of this width that loses so much.
inline window_channel channel_at(double epsilon, std::size_t bins, std::size_t half) {
    window_channel by = {bins, half, 0};
    const double odds =
        std::expm1(epsilon) * static_cast<double>(by.width()) / static_cast<double>(by.size());
    by.keep = odds / (1 + odds);
    return by;
}

// Levels with reports.
inline std::vector<window_counts> counts_of(std::span<const level_tally> levels,
                                            const std::vector<window_channel> &channels) {
    std::vector<window_counts> counts;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (levels[i].reports > 0) {
            counts.push_back({channels[i], levels[i].ones});
        }
    }
    return counts;
}

// Answers that no value has so often, or so seldom.
inline void check_windows(const window_channel &by, const level_tally &at, quality_sums &sums) {
    for (const std::uint64_t count : at.ones) {
        sums.count(is_beyond(static_cast<double>(count), static_cast<double>(at.reports),
                             {by.outside(), by.inside()}, 0));
    }
}

} // namespace sotto::aggregator
#endif
