// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/inverse_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto::aggregator {
namespace {

// By bin: steps until it has the point of this rank (docs/STREAMS.md#quantiles).
std::vector<double> steps_of(std::span<const double> up_to, double rank, std::size_t quantile,
                             std::size_t delta) {
    std::vector<double> steps(up_to.size());
    for (std::size_t bin = quantile; bin-- > 0;) {
        const std::size_t next = bin + delta;
        steps[bin] = rank - up_to[bin] + (next < quantile ? steps[next] : 0);
    }
    for (std::size_t bin = quantile + 1; bin < up_to.size(); ++bin) {
        const bool is_near = bin < delta || bin - delta <= quantile;
        steps[bin] = up_to[bin - 1] - rank + 1 + (is_near ? 0 : steps[bin - delta]);
    }
    return steps;
}

template <typename Error> double mean_of(const answer_law_of_points &law, Error error) {
    double sum = 0;
    for (std::size_t bin = 0; bin < law.chances.size(); ++bin) {
        sum +=
            law.chances[bin] * error(static_cast<double>(bin) - static_cast<double>(law.quantile));
    }
    return sum;
}

} // namespace

double answer_law_of_points::mean_error() const {
    return mean_of(*this, [](double away) { return std::abs(away); });
}

double answer_law_of_points::root_mean_square() const {
    return std::sqrt(mean_of(*this, [](double away) { return away * away; }));
}

answer_law_of_points answers_of_points(const inverse_sensitivity_law &law,
                                       std::span<const double> counts) {
    std::vector<double> up_to(counts.size());
    std::partial_sum(counts.begin(), counts.end(), up_to.begin());
    const double rank = std::ceil(law.rank * up_to.back() * (1 - 1e-12));
    answer_law_of_points out;
    out.quantile = static_cast<std::size_t>(std::ranges::lower_bound(up_to, rank) - up_to.begin());
    const auto last = static_cast<double>(law.weights.size() - 1);
    for (const double steps : steps_of(up_to, rank, out.quantile, law.delta)) {
        out.chances.push_back(law.weights[static_cast<std::size_t>(std::min(steps, last))]);
    }
    const double total = std::accumulate(out.chances.begin(), out.chances.end(), 0.0);
    for (double &chance : out.chances) {
        chance /= total;
    }
    return out;
}

std::vector<double> even_points(std::size_t bins, std::size_t points) {
    std::vector<double> counts(bins);
    for (std::size_t i = 0; i < points; ++i) {
        ++counts[(2 * i + 1) * bins / (2 * points)];
    }
    return counts;
}

} // namespace sotto::aggregator
