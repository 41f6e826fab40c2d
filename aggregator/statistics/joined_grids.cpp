// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/joined_grids.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

using index = Eigen::Index;

index count_of(const std::vector<square_grid> &grids) {
    index count = 0;
    for (const square_grid &grid : grids) {
        count += index{grid.lines} * grid.lines;
    }
    return count;
}

} // namespace

joined_grids::joined_grids(std::uint32_t cells, std::vector<square_grid> grids)
    : cells_(cells), grids_(std::move(grids)), areas_(overlaps({{0, cells - 1}, {0, cells - 1}})) {
    // Borders of no two grids are the same: their squares have one sum in common, that of all.
    // Where it is the same in each grid nothing is known, so anything may be added there.
    const Eigen::MatrixXd same = sames();
    joint_.compute(overlaps() + same * same.transpose());
}

box_weights joined_grids::weights(const cell_box &box) const {
    const Eigen::VectorXd within = overlaps(box);
    const double area = (box.x.second - box.x.first + 1.0) * (box.y.second - box.y.first + 1.0);
    box_weights out = {joint_.solve(within), false};
    out.is_exact = area - out.by_square.dot(within) < 1e-7 * area;
    if (!out.is_exact) {
        out.by_square = within.cwiseQuotient(areas_) / static_cast<double>(grids_.size());
    }
    return out;
}

joined_grids::shares joined_grids::shared(const square_grid &grid, std::uint32_t first,
                                          std::uint32_t last) const {
    shares out(grid.lines);
    for (std::uint32_t cell = first; cell <= last; ++cell) {
        out[(cell + grid.shift) / grid.width] += 1;
    }
    return out;
}

Eigen::VectorXd joined_grids::overlaps(const cell_box &box) const {
    Eigen::VectorXd out(count_of(grids_));
    index at = 0;
    for (const square_grid &grid : grids_) {
        const shares rows = shared(grid, box.x.first, box.x.second);
        for (const double in_line : shared(grid, box.y.first, box.y.second)) {
            for (const double in_row : rows) {
                out[at++] = in_line * in_row;
            }
        }
    }
    return out;
}

Eigen::MatrixXd joined_grids::overlaps() const {
    Eigen::MatrixXd out(areas_.size(), areas_.size());
    index at = 0;
    for (const square_grid &grid : grids_) {
        const auto end = [&](std::uint32_t row) {
            const std::uint32_t begin = std::max(row * grid.width, grid.shift) - grid.shift;
            const std::uint32_t next = (row + 1) * grid.width - grid.shift;
            return std::pair(begin, std::min(next, cells_) - 1);
        };
        for (std::uint32_t line = 0; line < grid.lines; ++line) {
            for (std::uint32_t row = 0; row < grid.lines; ++row) {
                out.col(at++) = overlaps({end(row), end(line)});
            }
        }
    }
    return out;
}

// A column for each grid but the first: its squares less those of the first.
Eigen::MatrixXd joined_grids::sames() const {
    Eigen::MatrixXd out =
        Eigen::MatrixXd::Zero(areas_.size(), static_cast<index>(grids_.size()) - 1);
    const index first = index{grids_[0].lines} * grids_[0].lines;
    index at = first;
    for (index i = 0; i < out.cols(); ++i) {
        const square_grid &grid = grids_[static_cast<std::size_t>(i) + 1];
        const index squares = index{grid.lines} * grid.lines;
        out.col(i).head(first).setConstant(-1);
        out.col(i).segment(at, squares).setOnes();
        at += squares;
    }
    return out;
}

} // namespace sotto::aggregator
