// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/pooled_levels.hpp"

#include "aggregator/statistics/benjamini_hochberg.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

constexpr double false_alarm = 1e-3;

} // namespace

pooled_levels pool_levels(std::span<const level_reading> levels, std::span<const double> weights,
                          double spread) {
    double total = 0;
    for (const level_reading &at : levels) {
        total += at.reports;
    }
    pooled_levels out;
    double chance = -1 / total, difference = 0, of_difference = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const level_reading &at = levels[i];
        if (at.reports == 0) {
            continue;
        }
        const double w = weights[i], more = w - at.reports / total;
        out.value += w * at.value;
        out.variance += w * w * at.noise;
        chance += w * w / at.reports;
        difference += more * at.value;
        of_difference += more * more * (at.noise + spread / at.reports);
    }
    out.variance += spread * std::max(0.0, chance);
    out.apart = of_difference > 0 ? difference / std::sqrt(of_difference) : 0;
    return out;
}

bool levels_differ(std::span<const double> apart) {
    const double limit = normal_upper_point(
        false_alarm / 2 / static_cast<double>(std::max<std::size_t>(1, apart.size())));
    return std::any_of(apart.begin(), apart.end(),
                       [&](double difference) { return std::abs(difference) > limit; });
}

} // namespace sotto::aggregator
