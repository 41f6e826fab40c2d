// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/level_weights.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include <numeric>

namespace sotto::aggregator {

std::vector<double> level_weights(const metric &m, const metric_tally &tally,
                                  const reports_again &again) {
    std::vector<double> weights(tally.size());
    for (std::size_t level = 0; level < tally.size(); ++level) {
        if (tally[level].reports > 0) {
            weights[level] = static_cast<double>(tally[level].reports) /
                             mechanism_of(m).usual_variance(m, m.law(level), again);
        }
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double &weight : weights) {
        weight /= sum > 0 ? sum : 1;
    }
    return weights;
}

} // namespace sotto::aggregator
