// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/bit_channel.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {

estimated estimate_bit_channel(std::span<const level_count> counts,
                               std::span<const bit_channel> channels) {
    estimated result;
    double variance = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto n = static_cast<double>(counts[i].reports);
        const double value = (static_cast<double>(counts[i].ones) - n * channels[i].one_if_zero) /
                             (channels[i].one_if_one - channels[i].one_if_zero);
        result.value += value;
        variance += bit_channel_variance(n, std::clamp(value, 0.0, n), channels[i]);
        result.reports += counts[i].reports;
    }
    result.std_error = std::sqrt(variance);
    return result;
}

double bit_channel_variance(double reports, double count, const bit_channel &channel) {
    const double if_zero = channel.one_if_zero, if_one = channel.one_if_one;
    const double gain = if_one - if_zero;
    return (count * if_one * (1 - if_one) + (reports - count) * if_zero * (1 - if_zero)) /
           (gain * gain);
}

} // namespace sotto::aggregator
