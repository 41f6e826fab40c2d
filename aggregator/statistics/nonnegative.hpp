// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_NONNEGATIVE_HPP
#define SOTTO_AGGREGATOR_STATISTICS_NONNEGATIVE_HPP

#include <Eigen/Core>

namespace sotto::aggregator {

// The least squares of a problem with the normal matrix X'WX, symmetric and positive semidefinite,
// and the right side X'Wy, with no unknown below zero. By coordinate descent (Franc, Hlavac,
// Navara, Sequential Coordinate-Wise Algorithm for the Non-negative Least Squares Problem, CAIP
// 2005). On return every unknown satisfies its optimality condition to within 1e-9 of its scale, or
// 10,000 rounds have passed.
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd &normal,
                                          const Eigen::VectorXd &right);

} // namespace sotto::aggregator
#endif
