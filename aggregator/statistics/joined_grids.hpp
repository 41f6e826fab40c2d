// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_JOINED_GRIDS_HPP
#define SOTTO_AGGREGATOR_STATISTICS_JOINED_GRIDS_HPP

#include "aggregator/statistics/cell_box.hpp"

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

namespace sotto::aggregator {

// lines * lines squares of `width` cells, side by side; the first begins `shift` cells before 0.
struct square_grid {
    std::uint32_t width = 1, shift = 0, lines = 1;
};

// How to add up the squares' counts to the count of a box.
struct box_weights {
    Eigen::VectorXd by_square; // grid by grid, line by line
    // Whether that is the box's count, wherever the points lie. Otherwise squares are cut, and
    // their points are taken as evenly spread.
    bool is_exact = false;

    // The variance of the sum, in variances of one square's noise.
    double variance() const { return by_square.squaredNorm(); }
};

// Squares of several grids, each with independent noise of the same variance. Takes time as an
// inverse of squares * squares numbers. Pure.
class joined_grids {
  public:
    // Grids of one width and different shifts, the first of which is not shifted.
    joined_grids(std::uint32_t cells, std::vector<square_grid> grids);

    // Where the box is a sum of squares, the least squares: no unbiased estimate that is linear has
    // less variance. Otherwise the mean of the grids, of each square its share within the box.
    box_weights weights(const cell_box &box) const;

  private:
    using shares = std::vector<double>;

    // Cells that each row of a grid has between the two.
    shares shared(const square_grid &grid, std::uint32_t first, std::uint32_t last) const;
    Eigen::VectorXd overlaps(const cell_box &box) const; // in cells, by square
    Eigen::MatrixXd overlaps() const;                    // each square's with each
    Eigen::MatrixXd sames() const;

    std::uint32_t cells_;
    std::vector<square_grid> grids_;
    Eigen::VectorXd areas_;
    Eigen::LLT<Eigen::MatrixXd> joint_;
};

} // namespace sotto::aggregator
#endif
