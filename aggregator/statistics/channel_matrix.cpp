// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/channel_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto::aggregator {
namespace {

// Rows [A | I] become [I | inverse], the largest pivot first.
class elimination {
  public:
    elimination(std::size_t size, std::span<const double> matrix) : size_(size), rows_(size) {
        for (std::size_t i = 0; i < size; ++i) {
            rows_[i].resize(2 * size);
            std::ranges::copy(matrix.subspan(i * size, size), rows_[i].begin());
            rows_[i][size + i] = 1;
        }
    }

    std::vector<double> inverse() {
        std::vector<double> out;
        for (std::size_t k = 0; k < size_; ++k) {
            clear(k);
        }
        for (const std::vector<double> &row : rows_) {
            out.insert(out.end(), row.begin() + static_cast<std::ptrdiff_t>(size_), row.end());
        }
        return out;
    }

  private:
    void clear(std::size_t k) {
        const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(k);
        std::iter_swap(from, std::max_element(from, rows_.end(), [&](auto &a, auto &b) {
                           return std::abs(a[k]) < std::abs(b[k]);
                       }));
        const double pivot = rows_[k][k];
        for (double &value : rows_[k]) {
            value /= pivot;
        }
        for (std::size_t i = 0; i < size_; ++i) {
            const double head = i == k ? 0 : rows_[i][k];
            for (std::size_t j = 0; head != 0 && j < 2 * size_; ++j) {
                rows_[i][j] -= head * rows_[k][j];
            }
        }
    }

    std::size_t size_;
    std::vector<std::vector<double>> rows_;
};

} // namespace

channel_matrix::channel_matrix(std::size_t size, std::span<const double> chances)
    : size_(size), chances_(chances.begin(), chances.end()),
      inverse_(elimination(size, chances).inverse()) {}

estimated channel_matrix::estimate(std::span<const std::uint64_t> counts, std::size_t value) const {
    estimated out;
    double squares = 0, least = variance(0, value);
    for (std::size_t y = 0; y < size_; ++y) {
        out.reports += counts[y];
        out.value += static_cast<double>(counts[y]) * weight(y, value);
        squares += static_cast<double>(counts[y]) * weight(y, value) * weight(y, value);
        least = std::min(least, variance(y, value));
    }
    const auto n = static_cast<double>(out.reports);
    out.std_error = std::sqrt(std::max(squares - std::clamp(out.value, 0.0, n), n * least));
    return out;
}

double channel_matrix::variance(std::size_t truth, std::size_t value) const {
    double squares = 0;
    for (std::size_t y = 0; y < size_; ++y) {
        squares += chance(truth, y) * weight(y, value) * weight(y, value);
    }
    return squares - (truth == value ? 1 : 0);
}

double channel_matrix::own_variance() const {
    double sum = 0;
    for (std::size_t v = 0; v < size_; ++v) {
        sum += variance(v, v);
    }
    return sum / static_cast<double>(size_);
}

double channel_matrix::other_variance() const {
    double sum = 0;
    for (std::size_t i = 0; i < size_ * size_; ++i) {
        sum += variance(i / size_, i % size_);
    }
    const auto size = static_cast<double>(size_);
    return (sum - size * own_variance()) / (size * (size - 1));
}

double channel_matrix::reach() const {
    double most = 0;
    for (std::size_t v = 0; v < size_; ++v) {
        std::vector<double> column;
        for (std::size_t y = 0; y < size_; ++y) {
            column.push_back(weight(y, v));
        }
        const auto [low, high] = std::ranges::minmax(column);
        most = std::max(most, high - low);
    }
    return most;
}

} // namespace sotto::aggregator
