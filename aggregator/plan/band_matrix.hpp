// SPDX-License-Identifier: Apache-2.0
// A symmetric positive definite matrix whose entries lie near its diagonal.
#ifndef SOTTO_AGGREGATOR_PLAN_BAND_MATRIX_HPP
#define SOTTO_AGGREGATOR_PLAN_BAND_MATRIX_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sotto::aggregator {

// A symmetric, positive definite matrix.
class band_matrix {
  public:
    // Entries more than `width` from the diagonal are zero.
    band_matrix(std::size_t size, std::size_t width)
        : size_(size), width_(width), entries_(size * (width + 1)) {}

    // The lower triangle: j <= i <= j + width.
    double &at(std::size_t i, std::size_t j) { return entries_[i * (width_ + 1) + width_ + j - i]; }

    // x with A x = b, by Cholesky's factors, which take the place of A: O(size width^2).
    std::vector<double> solved(std::vector<double> b) && {
        factorise();
        for (std::size_t i = 0; i < size_; ++i) {
            for (std::size_t j = first(i); j < i; ++j) {
                b[i] -= at(i, j) * b[j];
            }
            b[i] /= at(i, i);
        }
        for (std::size_t i = size_; i-- > 0;) {
            b[i] /= at(i, i);
            for (std::size_t j = first(i); j < i; ++j) {
                b[j] -= at(i, j) * b[i];
            }
        }
        return b;
    }

  private:
    std::size_t first(std::size_t i) const { return i < width_ ? 0 : i - width_; }

    void factorise() {
        for (std::size_t i = 0; i < size_; ++i) {
            for (std::size_t j = first(i); j <= i; ++j) {
                double sum = at(i, j);
                for (std::size_t k = std::max(first(i), first(j)); k < j; ++k) {
                    sum -= at(i, k) * at(j, k);
                }
                at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
            }
        }
    }

    std::size_t size_, width_;
    std::vector<double> entries_; // by row
};

} // namespace sotto::aggregator
#endif
