// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_CHANNEL_MATRIX_HPP
#define SOTTO_AGGREGATOR_STATISTICS_CHANNEL_MATRIX_HPP

#include "aggregator/statistics/estimated.hpp"

#include <span>
#include <vector>

namespace sotto::aggregator {

// Any value becomes any other: P(published | true) as a matrix that has an inverse H. C_y of n
// reports say y, so that
//   sum of C_y H_yv
// is an unbiased estimate of how many have the value v. For fixed data its variance is this:
//   sum of c_x (sum of P_xy H_yv^2) - c_v
// Here c_x are the true counts (the inversion of Agrawal and Aggarwal, PODS 2001).
class channel_matrix {
  public:
    // `chances` by true value: rows of `size` that add up to 1.
    channel_matrix(std::size_t size, std::span<const double> chances);

    // The standard error has C_y in place of its mean, and the estimate, brought into [0, n], in
    // place of c_v. It is at least that of the value that says least of v.
    estimated estimate(std::span<const std::uint64_t> counts, std::size_t value) const;
    // A report of a device that has the value `truth` adds so much to the variance for `value`.
    double variance(std::size_t truth, std::size_t value) const;
    // The variance on average over values: of a device that has the value, and of one that has
    // another.
    double own_variance() const;
    double other_variance() const;
    // The most and the least that a report adds to an estimate, apart.
    double reach() const;

  private:
    double weight(std::size_t published, std::size_t value) const {
        return inverse_[published * size_ + value];
    }
    double chance(std::size_t truth, std::size_t published) const {
        return chances_[truth * size_ + published];
    }

    std::size_t size_;
    std::vector<double> chances_, inverse_;
};

} // namespace sotto::aggregator
#endif
