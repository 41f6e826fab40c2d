// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/pooled_levels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sotto::aggregator {
namespace {

struct level_share {
    double reports, share;
    bit_channel channel;

    // Of the share, if it is s.
    double noise(double s) const {
        return bit_channel_variance(reports, s * reports, channel) / (reports * reports);
    }
};

double weight(const level_share &at, double s) {
    return 1 / (at.noise(s) + s * (1 - s) / at.reports);
}

double weighted_share(const std::vector<level_share> &levels, double s) {
    double sum = 0, weights = 0;
    for (const level_share &at : levels) {
        sum += weight(at, s) * at.share;
        weights += weight(at, s);
    }
    return sum / weights;
}

} // namespace

std::optional<estimated> pool_levels(std::span<const level_count> counts,
                                     std::span<const bit_channel> channels) {
    std::vector<level_share> levels;
    double all = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i].reports > 0) {
            const auto n = static_cast<double>(counts[i].reports);
            const double value = estimate_bit_channel({&counts[i], 1}, {&channels[i], 1}).value;
            levels.push_back({n, value / n, channels[i]});
            all += n;
        }
    }
    if (levels.size() < 2) {
        return std::nullopt;
    }
    // Weights that depend on a level's own noise would be biased; these depend on the whole.
    const double s = std::clamp(weighted_share(levels, 0.5), 0.0, 1.0);
    double weights = 0, noise = 0, chance = 0;
    for (const level_share &at : levels) {
        weights += weight(at, s);
    }
    for (const level_share &at : levels) {
        const double w = weight(at, s) / weights;
        noise += w * w * at.noise(s);
        chance += w * w / at.reports;
    }
    estimated out;
    out.value = all * weighted_share(levels, s);
    out.std_error = all * std::sqrt(noise + s * (1 - s) * std::max(0.0, chance - 1 / all));
    out.reports = static_cast<std::uint64_t>(all);
    return out;
}

} // namespace sotto::aggregator
