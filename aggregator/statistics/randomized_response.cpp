// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/randomized_response.hpp"

#include <cmath>

namespace sotto::aggregator {

double randomized_response_std_error(double reports, double flip) {
    return std::sqrt(reports * flip * (1 - flip)) / (1 - 2 * flip);
}

estimated estimate_randomized_response(std::span<const level_count> counts,
                                       std::span<const double> flip) {
    estimated result;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto n = static_cast<double>(counts[i].reports);
        const auto ones = static_cast<double>(counts[i].ones);
        result.value += (ones - n * flip[i]) / (1 - 2 * flip[i]);
        result.std_error = std::hypot(result.std_error, randomized_response_std_error(n, flip[i]));
        result.reports += counts[i].reports;
    }
    return result;
}

} // namespace sotto::aggregator
