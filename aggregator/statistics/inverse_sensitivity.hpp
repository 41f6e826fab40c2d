// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_INVERSE_SENSITIVITY_HPP
#define SOTTO_AGGREGATOR_STATISTICS_INVERSE_SENSITIVITY_HPP

#include <cstddef>
#include <span>
#include <vector>

namespace sotto::aggregator {

// An answer is drawn in proportion to the weight of its steps, as registry.h says; the last weight
// is that of all longer ways. Pure.
struct inverse_sensitivity_law {
    std::size_t delta = 1; // bins
    double rank = 0.5;     // share of the points: the quantile is the point ceil(rank n) of n
    std::span<const double> weights;
};

// The answers to points by bin: at least one, each bin's count a whole number.
struct answer_law_of_points {
    std::vector<double> chances; // by bin
    std::size_t quantile = 0;    // the true bin

    // One answer's, in bins.
    double mean_error() const;
    double root_mean_square() const;
};
answer_law_of_points answers_of_points(const inverse_sensitivity_law &law,
                                       std::span<const double> counts);

// So many points, as far from each other as can be.
std::vector<double> even_points(std::size_t bins, std::size_t points);

} // namespace sotto::aggregator
#endif
