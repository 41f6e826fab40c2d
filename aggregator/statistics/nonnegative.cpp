// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/nonnegative.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {

Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd &normal,
                                          const Eigen::VectorXd &right) {
    constexpr int most_rounds = 10'000;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size());
    Eigen::VectorXd gradient = -right; // half the sum of squares
    const double scale = right.cwiseAbs().maxCoeff();
    for (int round = 0; round < most_rounds; ++round) {
        double largest = 0; // step of this round, as a change of the gradient
        for (Eigen::Index k = 0; k < x.size(); ++k) {
            const double curvature = normal(k, k);
            if (curvature <= 0) {
                continue;
            }
            const double step = std::max(-x[k], -gradient[k] / curvature);
            if (step != 0) {
                x[k] += step;
                gradient += step * normal.col(k);
                largest = std::max(largest, std::abs(step) * curvature);
            }
        }
        if (largest <= 1e-9 * scale) {
            break;
        }
    }
    return x;
}

} // namespace sotto::aggregator
