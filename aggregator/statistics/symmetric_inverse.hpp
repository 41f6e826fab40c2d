// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_SYMMETRIC_INVERSE_HPP
#define SOTTO_AGGREGATOR_STATISTICS_SYMMETRIC_INVERSE_HPP

#include <Eigen/Core>
#include <vector>

namespace sotto::aggregator {

// The inverse of the normal matrix of a least-squares problem, or where that has none its
// pseudo-inverse; and which unknowns the equations determine.
struct symmetric_inverse {
    Eigen::MatrixXd matrix;
    std::vector<bool> determined;
    Eigen::Index rank = 0;
};

// `normal` is symmetric and positive semidefinite.
symmetric_inverse invert_symmetric(const Eigen::MatrixXd &normal);

} // namespace sotto::aggregator
#endif
