// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_JOINED_ROWS_HPP
#define SOTTO_AGGREGATOR_STATISTICS_JOINED_ROWS_HPP

#include <Eigen/Dense>
#include <cstddef>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Cells known from sums of them, each with independent noise of variance 1, joined by least squares
// (Hay, Rastogi, Miklau, Suciu, 2010). No unbiased estimate that is linear has less variance. Takes
// time and memory as an inverse of cells * cells numbers. Pure.
class joined_rows {
  public:
    // By row and cell: how often the row counts the cell. All rows have as many cells, 1 or more.
    explicit joined_rows(const std::vector<std::vector<double>> &rows);

    // Whether the rows tell all cells apart; nothing else may be asked where they do not.
    bool is_determined() const { return is_determined_; }
    // The cells, from a sum a row.
    std::vector<double> cells(std::span<const double> sums) const;
    // Variance of the estimate of cells `first` to `last` together, both included.
    double variance(std::size_t first, std::size_t last) const;
    // Its mean over all ranges of cells.
    double mean_variance() const;

  private:
    Eigen::MatrixXd rows_;
    Eigen::MatrixXd inverse_; // covariance of the cells
    Eigen::MatrixXd before_;  // covariance of the sums of the first i cells
    bool is_determined_ = false;
};

} // namespace sotto::aggregator
#endif
