// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/pooled_levels.hpp"

#include "aggregator/estimate/benjamini_hochberg.hpp"
#include "aggregator/estimate/discrete_laplace.hpp"
#include "aggregator/estimate/metric_channel.hpp"
#include "aggregator/estimate/rappor.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto::aggregator {
namespace {

constexpr double false_alarm = 1e-3;

double even_share(const metric &m) {
    return m.type == SOTTO_TYPE_CATEGORY ? 1 / static_cast<double>(m.value_size()) : 0.5;
}

// The variance of one report, for a share or a mean: noise and spread.
double usual_variance(const metric &m, std::size_t level, const reports_again &again) {
    if (const auto *table = std::get_if<discrete_laplace_table>(&m.table)) {
        const double range = static_cast<double>(table->max) - table->min;
        return discrete_laplace_variance(m.law(level).unit_epsilon) +
               again.of_a_device * range * range / 4;
    }
    if (std::holds_alternative<one_bit_mean_table>(m.table)) {
        const double gain = 1 - 2 * m.law(level).flip;
        return 1 / (4 * gain * gain) + (again.of_a_device - 1) / 4; // of bits drawn anew
    }
    const double share = even_share(m);
    return bit_channel_variance(1, share, *metric_channel(m, level)) +
           repeated_variance(1, again.of_a_value, m.law(level).permanent_flip) +
           again.of_a_device * share * (1 - share);
}

} // namespace

std::vector<double> level_weights(const metric &m, const metric_tally &tally,
                                  const reports_again &again) {
    std::vector<double> weights(tally.size());
    for (std::size_t level = 0; level < tally.size(); ++level) {
        if (tally[level].reports > 0) {
            weights[level] =
                static_cast<double>(tally[level].reports) / usual_variance(m, level, again);
        }
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double &weight : weights) {
        weight /= sum > 0 ? sum : 1;
    }
    return weights;
}

pooled_levels pool_levels(std::span<const level_reading> levels, std::span<const double> weights,
                          double spread) {
    double all = 0;
    for (const level_reading &at : levels) {
        all += at.reports;
    }
    pooled_levels out;
    double chance = -1 / all, difference = 0, of_difference = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const level_reading &at = levels[i];
        if (at.reports == 0) {
            continue;
        }
        const double w = weights[i], more = w - at.reports / all;
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
                       [&](double one) { return std::abs(one) > limit; });
}

} // namespace sotto::aggregator
