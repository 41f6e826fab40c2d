// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/discrete_laplace.hpp"

#include <cmath>

namespace sotto::aggregator {

// 1 / (e^epsilon - 1), which stays exact for a small epsilon.
double discrete_laplace_end(double unit_epsilon) { return 1 / std::expm1(unit_epsilon); }

// 1 / (2 sinh^2(epsilon / 2)).
double discrete_laplace_variance(double unit_epsilon) {
    const double s = std::sinh(unit_epsilon / 2);
    return 1 / (2 * s * s);
}

estimated estimate_discrete_laplace(std::span<const number_count> counts,
                                    std::span<const double> unit_epsilon) {
    estimated result;
    double variance = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const number_count &c = counts[i];
        const auto at_min = static_cast<double>(c.at_min), at_max = static_cast<double>(c.at_max);
        result.value +=
            static_cast<double>(c.sum) + (at_max - at_min) * discrete_laplace_end(unit_epsilon[i]);
        variance += discrete_laplace_variance(unit_epsilon[i]) / 2 *
                    (2 * static_cast<double>(c.reports) - at_min - at_max);
        result.reports += c.reports;
    }
    if (result.reports > 0) {
        result.value /= static_cast<double>(result.reports);
        result.std_error = std::sqrt(variance) / static_cast<double>(result.reports);
    }
    return result;
}

} // namespace sotto::aggregator
