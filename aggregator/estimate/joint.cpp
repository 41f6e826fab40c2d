// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/joint.hpp"

#include "aggregator/estimate/symmetric_inverse.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Pairs at a time; a product of matrices of this size stays in the cache.
constexpr Index block = 1024;
constexpr int em_rounds_max = 20'000;

class em {
  public:
    explicit em(const report_pairs &pairs)
        : pairs_(pairs), n_(static_cast<double>(pairs.first.rows())),
          first_(rows_of(pairs), pairs.first.cols()), second_(rows_of(pairs), pairs.second.cols()),
          given_(rows_of(pairs), pairs.second.cols()), sums_(rows_of(pairs)) {}

    // What a step of EM makes of `shares`: each times its D. Also sets log-likelihood and gap, both
    // of `shares`.
    MatrixXd step(const MatrixXd &shares) {
        MatrixXd d = MatrixXd::Zero(shares.rows(), shares.cols());
        log_likelihood = 0;
        for (Index at = 0; at < pairs_.first.rows(); at += block) {
            const Index rows = std::min(block, pairs_.first.rows() - at);
            auto first = first_.topRows(rows);
            auto second = second_.topRows(rows);
            auto given = given_.topRows(rows);
            auto sums = sums_.head(rows);
            first = pairs_.first.middleRows(at, rows).cast<double>();
            second = pairs_.second.middleRows(at, rows).cast<double>();
            given.noalias() = first * shares;
            sums = given.cwiseProduct(second).rowwise().sum();
            log_likelihood += sums.array().log().sum();
            second.array().colwise() /= sums.array();
            d.noalias() += first.transpose() * second;
        }
        d /= n_;
        gap = n_ * std::max(0.0, d.maxCoeff() - 1);
        return shares.cwiseProduct(d);
    }

    double log_likelihood = 0, gap = 0;

  private:
    static Index rows_of(const report_pairs &pairs) { return std::min(block, pairs.first.rows()); }

    const report_pairs &pairs_;
    double n_;
    // Kept from block to block: memory of this size costs more than what is computed in it.
    MatrixXd first_, second_, given_;
    VectorXd sums_;
};

// Two steps of EM, extrapolated. Never a share of 0, from which there is no way back.
MatrixXd extrapolated(const MatrixXd &start, const MatrixXd &one, const MatrixXd &two) {
    const MatrixXd r = one - start, v = two - one - r;
    if (v.norm() <= 0) {
        return two;
    }
    const double alpha = -std::max(1.0, r.norm() / v.norm());
    MatrixXd out = start - 2 * alpha * r + alpha * alpha * v;
    out = out.cwiseMax(0.1 * two);
    return out / out.sum();
}

// D_i of every pair, its outer product with itself summed up: minus the curvature.
MatrixXd information(const report_pairs &pairs, const MatrixXd &shares) {
    const Index cells = shares.size(), seconds = shares.cols();
    MatrixXd out = MatrixXd::Zero(cells, cells);
    for (Index at = 0; at < pairs.first.rows(); at += block) {
        const Index rows = std::min(block, pairs.first.rows() - at);
        const MatrixXd first = pairs.first.middleRows(at, rows).cast<double>();
        const MatrixXd second = pairs.second.middleRows(at, rows).cast<double>();
        const VectorXd sums = (first * shares).cwiseProduct(second).rowwise().sum();
        MatrixXd d(cells, rows);
        for (Index a = 0; a < shares.rows(); ++a) {
            for (Index b = 0; b < seconds; ++b) {
                d.row(a * seconds + b) =
                    first.col(a).cwiseProduct(second.col(b)).cwiseQuotient(sums).transpose();
            }
        }
        out.selfadjointView<Eigen::Lower>().rankUpdate(d);
    }
    return out.selfadjointView<Eigen::Lower>();
}

} // namespace

joint_fit estimate_joint(const report_pairs &pairs, const std::function<void(int)> &progress) {
    const Index firsts = pairs.first.cols(), seconds = pairs.second.cols();
    joint_fit out;
    out.cells.resize(static_cast<std::size_t>(firsts * seconds));
    if (pairs.first.rows() == 0) {
        return out;
    }
    em fit(pairs);
    MatrixXd shares =
        MatrixXd::Constant(firsts, seconds, 1.0 / static_cast<double>(firsts * seconds));
    while (out.rounds < em_rounds_max) {
        const MatrixXd one = fit.step(shares);
        out.gap = fit.gap;
        ++out.rounds;
        if (out.converged()) {
            break;
        }
        const MatrixXd two = fit.step(one);
        const double before = fit.log_likelihood;
        const MatrixXd far = extrapolated(shares, one, two);
        const MatrixXd next = fit.step(far);
        shares = fit.log_likelihood >= before ? next : two;
        out.rounds += 2;
        progress(out.rounds);
    }
    const double n = static_cast<double>(pairs.first.rows());
    // That the sum is 1 is known however little the reports say; how heavily it is added here
    // cancels out of the variance below.
    const symmetric_inverse inverse = invert_symmetric(information(pairs, shares).array() + n);
    const VectorXd sums = inverse.matrix.rowwise().sum();
    for (Index c = 0; c < firsts * seconds; ++c) {
        if (!inverse.determined[static_cast<std::size_t>(c)]) {
            continue;
        }
        const double s = shares(c / seconds, c % seconds);
        const double variance =
            inverse.matrix(c, c) - sums[c] * sums[c] / sums.sum() - s * (1 - s) / n;
        out.cells[static_cast<std::size_t>(c)] = {n * s, n * std::sqrt(std::max(0.0, variance)),
                                                  static_cast<std::uint64_t>(n)};
    }
    return out;
}

} // namespace sotto::aggregator
