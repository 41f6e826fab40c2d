// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/symmetric_inverse.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace sotto::aggregator {
namespace {

// With ones on the diagonal: below this a direction is one that the equations say nothing of.
constexpr double singular = 1e-10;
// A pivot that is smaller than this may hide one. Above it, what rounding does to the inverse is
// nothing beside any noise.
constexpr double safe_pivot = 1e-8;

// Eigen's rcond() doesn't say: it solves, and solving leaves out a pivot of zero.
bool is_regular(const Eigen::LDLT<Eigen::MatrixXd> &cholesky) {
    const auto pivots = cholesky.vectorD();
    return cholesky.info() == Eigen::Success && pivots.minCoeff() > safe_pivot * pivots.maxCoeff();
}

} // namespace

symmetric_inverse invert_symmetric(const Eigen::MatrixXd &normal) {
    const Eigen::Index size = normal.rows();
    // Unknowns may be of very different weight; scaled, they are all alike.
    const Eigen::VectorXd scale =
        normal.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 1.0; });
    const Eigen::MatrixXd scaled = scale.asDiagonal() * normal * scale.asDiagonal();
    symmetric_inverse out;
    out.determined.assign(static_cast<std::size_t>(size), true);
    out.rank = size;
    const Eigen::LDLT<Eigen::MatrixXd> cholesky(scaled);
    if (is_regular(cholesky)) {
        out.matrix = cholesky.solve(Eigen::MatrixXd::Identity(size, size));
    } else {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
        Eigen::VectorXd inverted = eigen.eigenvalues();
        for (Eigen::Index i = 0; i < size; ++i) {
            if (inverted[i] > singular) {
                inverted[i] = 1 / inverted[i];
                continue;
            }
            inverted[i] = 0;
            --out.rank;
            for (Eigen::Index k = 0; k < size; ++k) {
                if (std::abs(eigen.eigenvectors()(k, i)) > 1e-6) {
                    out.determined[static_cast<std::size_t>(k)] = false;
                }
            }
        }
        out.matrix =
            eigen.eigenvectors() * inverted.asDiagonal() * eigen.eigenvectors().transpose();
    }
    out.matrix = scale.asDiagonal() * out.matrix * scale.asDiagonal();
    return out;
}

} // namespace sotto::aggregator
