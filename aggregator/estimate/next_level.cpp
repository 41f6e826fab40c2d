// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/next_level.hpp"

#include "aggregator/estimate/discrete_laplace.hpp"
#include "aggregator/estimate/metric_channel.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

double count_error(const bit_channel &channel, const estimated &found) {
    const auto n = static_cast<double>(found.reports);
    return std::sqrt(bit_channel_variance(n, std::clamp(found.value, 0.0, n), channel));
}

double laplace_error(const discrete_laplace_table &table, double epsilon, const estimated &found) {
    const double u =
        std::clamp(found.value, static_cast<double>(table.min), static_cast<double>(table.max));
    const double at_an_end = (std::exp(-epsilon * (table.publish_max - u)) +
                              std::exp(-epsilon * (u - table.publish_min))) /
                             (1 + std::exp(-epsilon));
    return std::sqrt(discrete_laplace_variance(epsilon) * (1 - at_an_end / 2) /
                     static_cast<double>(found.reports));
}

double one_bit_error(const one_bit_mean_table &table, double flip, const estimated &found) {
    const double unit = std::ldexp(1, 32) / table.scale; // of one bit
    const double bit = std::clamp((found.value - table.min) / unit, 0.0, 1.0);
    const double one = flip + (1 - 2 * flip) * bit;
    return unit * std::sqrt(one * (1 - one) / static_cast<double>(found.reports)) / (1 - 2 * flip);
}

} // namespace

std::optional<double> std_error_at(const metric &m, std::size_t level, const estimated &found) {
    const level_law &law = m.law(level);
    if (m.type == SOTTO_TYPE_STRING) {
        return std::nullopt;
    }
    if (const auto *laplace = std::get_if<discrete_laplace_table>(&m.table)) {
        return laplace_error(*laplace, law.unit_epsilon, found);
    }
    if (const auto *mean = std::get_if<one_bit_mean_table>(&m.table)) {
        return one_bit_error(*mean, law.flip, found);
    }
    return count_error(*metric_channel(m, level), found);
}

} // namespace sotto::aggregator
