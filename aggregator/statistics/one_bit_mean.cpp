// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/one_bit_mean.hpp"

#include <cmath>

namespace sotto::aggregator {
namespace {

// The variance of the sum of n observed bits.
double bits_variance(double n, double ones, double flip) {
    const double observed = n > 1 ? ones * (n - ones) / (n - 1) : 0.25;
    return std::max(observed, n * flip * (1 - flip));
}

} // namespace

estimated estimate_one_bit_mean(std::span<const level_count> counts, std::span<const double> flip,
                                const one_bit_range &range) {
    estimated result;
    double total = 0, variance = 0; // the rounded bits', over all levels
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i].reports == 0) {
            continue;
        }
        const auto n = static_cast<double>(counts[i].reports);
        const auto ones = static_cast<double>(counts[i].ones);
        const double gain = 1 - 2 * flip[i];
        total += (ones - n * flip[i]) / gain;
        variance += bits_variance(n, ones, flip[i]) / (gain * gain);
        result.reports += counts[i].reports;
    }
    if (result.reports == 0) {
        return result;
    }
    const double unit =
        std::ldexp(1, 32) / range.scale / static_cast<double>(result.reports); // one bit's
    result.value = range.min + total * unit;
    result.std_error = std::sqrt(variance) * unit;
    return result;
}

} // namespace sotto::aggregator
