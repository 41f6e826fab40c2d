// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/joined_rows.hpp"

namespace sotto::aggregator {
namespace {

using index = Eigen::Index;

} // namespace

joined_rows::joined_rows(const std::vector<std::vector<double>> &rows)
    : rows_(static_cast<index>(rows.size()), static_cast<index>(rows.front().size())) {
    for (index i = 0; i < rows_.rows(); ++i) {
        rows_.row(i) = Eigen::Map<const Eigen::RowVectorXd>(
            rows[static_cast<std::size_t>(i)].data(), rows_.cols());
    }
    const index cells = rows_.cols();
    const Eigen::LDLT<Eigen::MatrixXd> information(rows_.transpose() * rows_);
    is_determined_ = information.isPositive() && information.vectorD().minCoeff() > 1e-9;
    if (!is_determined_) {
        return;
    }
    inverse_ = information.solve(Eigen::MatrixXd::Identity(cells, cells));
    before_ = Eigen::MatrixXd::Zero(cells + 1, cells + 1);
    for (index i = 0; i < cells; ++i) {
        for (index j = 0; j < cells; ++j) {
            before_(i + 1, j + 1) =
                before_(i, j + 1) + before_(i + 1, j) - before_(i, j) + inverse_(i, j);
        }
    }
}

std::vector<double> joined_rows::cells(std::span<const double> sums) const {
    const Eigen::Map<const Eigen::VectorXd> seen(sums.data(), rows_.rows());
    const Eigen::VectorXd found = inverse_ * (rows_.transpose() * seen);
    return {found.begin(), found.end()};
}

double joined_rows::variance(std::size_t first, std::size_t last) const {
    const auto from = static_cast<index>(first), end = static_cast<index>(last) + 1;
    return before_(from, from) + before_(end, end) - 2 * before_(from, end);
}

double joined_rows::mean_variance() const {
    const auto count = static_cast<std::size_t>(inverse_.rows());
    double sum = 0;
    for (std::size_t first = 0; first < count; ++first) {
        for (std::size_t last = first; last < count; ++last) {
            sum += variance(first, last);
        }
    }
    return sum / (0.5 * static_cast<double>(count) * (static_cast<double>(count) + 1));
}

} // namespace sotto::aggregator
