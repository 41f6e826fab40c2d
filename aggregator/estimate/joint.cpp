// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/joint.hpp"

#include "aggregator/statistics/symmetric_inverse.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

namespace sotto::aggregator {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Different reports at a time; a product of matrices of this size stays in the cache.
constexpr Index block = 1024;
constexpr int em_rounds_max = 60, newton_rounds_max = 100;

using matrix = report_pairs::matrix;

// The likelihood of shares, a row for each value of the first metric.
class likelihood {
  public:
    explicit likelihood(const report_pairs &pairs) : pairs_(pairs) {
        for (const report_pairs::equal_pairs &pair : pairs.pairs) {
            n_ += static_cast<double>(pair.count);
        }
    }

    double pairs() const { return n_; }

    // D, the mean over pairs of P P / sum. Also sets log-likelihood and gap, both of `shares`.
    MatrixXd mean_ratio(const MatrixXd &shares) {
        MatrixXd d = MatrixXd::Zero(shares.rows(), shares.cols());
        log_likelihood = 0;
        for_each_block([&](Index at, Index rows, std::span<const report_pairs::equal_pairs> here) {
            const auto first = pairs_.first.middleRows(at, rows);
            const matrix given = first * shares;
            matrix weighted = matrix::Zero(rows, shares.cols());
            for (const report_pairs::equal_pairs &pair : here) {
                const auto second = pairs_.second.row(pair.second);
                const double sum = given.row(pair.first - at).dot(second);
                const auto count = static_cast<double>(pair.count);
                log_likelihood += count * std::log(sum);
                weighted.row(pair.first - at) += count / sum * second;
            }
            d.noalias() += first.transpose() * weighted;
        });
        d /= n_;
        gap = n_ * std::max(0.0, d.maxCoeff() * shares.sum() - 1);
        return d;
    }

    // The sum over pairs of the outer product of P P / sum with itself: minus the curvature. By
    // rows of the first metric.
    MatrixXd information(const MatrixXd &shares) const {
        MatrixXd out = MatrixXd::Zero(shares.size(), shares.size());
        MatrixXd ratios(shares.size(), block / 4);
        Index filled = 0;
        const auto add_up = [&] {
            out.selfadjointView<Eigen::Lower>().rankUpdate(ratios.leftCols(filled));
            filled = 0;
        };
        for_each_first([&](Index first, std::span<const report_pairs::equal_pairs> here) {
            const auto values = pairs_.first.row(first).transpose();
            const MatrixXd seconds = square_root(values.transpose() * shares, here);
            for (Index k = 0; k < seconds.cols(); ++k) {
                Eigen::Map<matrix>(ratios.col(filled).data(), shares.rows(), shares.cols()) =
                    values * seconds.col(k).transpose();
                if (++filled == ratios.cols()) {
                    add_up();
                }
            }
        });
        add_up();
        return out.selfadjointView<Eigen::Lower>();
    }

    double log_likelihood = 0, gap = 0;

  private:
    // Pairs stand by their first report.
    void for_each_first(const auto &visit) const {
        for (std::size_t begin = 0, end = 0; begin < pairs_.pairs.size(); begin = end) {
            const std::uint32_t first = pairs_.pairs[begin].first;
            while (end < pairs_.pairs.size() && pairs_.pairs[end].first == first) {
                ++end;
            }
            visit(static_cast<Index>(first), std::span(pairs_.pairs).subspan(begin, end - begin));
        }
    }

    void for_each_block(const auto &visit) const {
        std::size_t begin = 0;
        for (Index at = 0; at < pairs_.first.rows(); at += block) {
            const Index rows = std::min(block, pairs_.first.rows() - at);
            std::size_t end = begin;
            while (end < pairs_.pairs.size() && pairs_.pairs[end].first < at + rows) {
                ++end;
            }
            visit(at, rows, std::span(pairs_.pairs).subspan(begin, end - begin));
            begin = end;
        }
    }

    // For pairs with one first report. The outer products of the columns with themselves sum up to
    // those of the second's P / sum. There are no more columns than values.
    MatrixXd square_root(const Eigen::RowVectorXd &given,
                         std::span<const report_pairs::equal_pairs> here) const {
        MatrixXd out(given.size(), static_cast<Index>(here.size()));
        for (Index k = 0; k < out.cols(); ++k) {
            const report_pairs::equal_pairs &pair = here[static_cast<std::size_t>(k)];
            const auto second = pairs_.second.row(pair.second);
            out.col(k) =
                std::sqrt(static_cast<double>(pair.count)) / given.dot(second) * second.transpose();
        }
        if (out.cols() <= out.rows()) {
            return out;
        }
        const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(out * out.transpose());
        return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
    }

    const report_pairs &pairs_;
    double n_ = 0;
};

// Two steps of EM, extrapolated. Never a share of 0, from which there is no way back.
MatrixXd extrapolated(const MatrixXd &start, const MatrixXd &first, const MatrixXd &second) {
    const MatrixXd r = first - start, v = second - first - r;
    if (v.norm() <= 0) {
        return second;
    }
    const double alpha = -std::max(1.0, r.norm() / v.norm());
    MatrixXd out = start - 2 * alpha * r + alpha * alpha * v;
    out = out.cwiseMax(0.1 * second);
    return out / out.sum();
}

void climb_by_em(joint_fit &out, likelihood &pairs, MatrixXd &shares,
                 const std::function<void(int)> &progress) {
    while (out.rounds < em_rounds_max) {
        const MatrixXd first = shares.cwiseProduct(pairs.mean_ratio(shares));
        out.gap = pairs.gap;
        ++out.rounds;
        if (out.converged()) {
            return;
        }
        const MatrixXd second = first.cwiseProduct(pairs.mean_ratio(first));
        const double before = pairs.log_likelihood;
        const MatrixXd far = extrapolated(shares, first, second);
        const MatrixXd next = far.cwiseProduct(pairs.mean_ratio(far));
        shares = pairs.log_likelihood >= before ? next : second;
        out.rounds += 2;
        progress(out.rounds);
    }
}

// As rows of the first metric, one behind the other.
VectorXd flat(const MatrixXd &shares) {
    const matrix by_row = shares;
    return Eigen::Map<const VectorXd>(by_row.data(), by_row.size());
}

MatrixXd shaped_as(const MatrixXd &like, const VectorXd &flat) {
    return Eigen::Map<const matrix>(flat.data(), like.rows(), like.cols());
}

// How far to go, of 1, for all to stay above 0.
double longest_step(const VectorXd &from, const VectorXd &step) {
    const double most = (-step.array() / from.array()).maxCoeff();
    return most > 0.95 ? 0.95 / most : 1;
}

// Climbs the mean log-likelihood less the sum of the shares. It is greatest at shares that add up
// to 1. There 1 - D = prices and shares * prices = 0, neither below 0.
void climb_by_newton(joint_fit &out, likelihood &pairs, MatrixXd &shares,
                     const std::function<void(int)> &progress) {
    const auto cells = static_cast<double>(shares.size());
    VectorXd s = flat(shares) * 0.99 + VectorXd::Constant(shares.size(), 0.01 / cells);
    double wanted = 0.01 / cells; // shares * prices, for each pair
    VectorXd prices = wanted * s.cwiseInverse();
    for (int round = 0; round < newton_rounds_max; ++round) {
        const MatrixXd now = shaped_as(shares, s);
        const VectorXd d = flat(pairs.mean_ratio(now));
        if (pairs.gap < out.gap) {
            shares = now / now.sum();
            out.gap = pairs.gap;
        }
        if (out.converged()) {
            return;
        }
        MatrixXd curvature = pairs.information(now) / pairs.pairs();
        curvature.diagonal() += prices.cwiseQuotient(s);
        const VectorXd to_s = curvature.ldlt().solve((d.array() - 1 + wanted / s.array()).matrix());
        const VectorXd to_prices =
            ((wanted - prices.array() * to_s.array()) / s.array() - prices.array()).matrix();
        const double length = std::min(longest_step(s, to_s), longest_step(prices, to_prices));
        s += length * to_s;
        prices += length * to_prices;
        wanted = s.dot(prices) / cells * (length > 0.5 ? 0.1 : 0.5);
        ++out.rounds;
        progress(out.rounds);
    }
}

// The rows that are fewer come first: what has one first report is added up before anything is done
// with all cells.
bool put_in_order(report_pairs &pairs) {
    const bool turned = pairs.second.rows() < pairs.first.rows();
    if (turned) {
        pairs.first.swap(pairs.second);
        for (report_pairs::equal_pairs &pair : pairs.pairs) {
            std::swap(pair.first, pair.second);
        }
    }
    std::sort(pairs.pairs.begin(), pairs.pairs.end(), [](const auto &a, const auto &b) {
        return std::tie(a.first, a.second) < std::tie(b.first, b.second);
    });
    return turned;
}

// The error of each cell, but for the pairs; nothing where the reports can't tell.
std::vector<std::optional<double>> errors_of(const likelihood &pairs, const MatrixXd &shares) {
    // The sum is known to be 1 however little the reports say; its weight here cancels out of the
    // variance below.
    const double n = pairs.pairs();
    const symmetric_inverse inverse = invert_symmetric(pairs.information(shares).array() + n);
    const VectorXd sums = inverse.matrix.rowwise().sum();
    const VectorXd s = flat(shares);
    std::vector<std::optional<double>> out(static_cast<std::size_t>(s.size()));
    for (Index c = 0; c < s.size(); ++c) {
        if (inverse.determined[static_cast<std::size_t>(c)]) {
            const double variance =
                inverse.matrix(c, c) - sums[c] * sums[c] / sums.sum() - s[c] * (1 - s[c]) / n;
            out[static_cast<std::size_t>(c)] = std::sqrt(std::max(0.0, variance));
        }
    }
    return out;
}

} // namespace

joint_fit estimate_joint(report_pairs pairs, const std::function<void(int)> &progress) {
    const bool turned = put_in_order(pairs);
    const Index firsts = pairs.first.cols(), seconds = pairs.second.cols();
    joint_fit out;
    out.cells.resize(static_cast<std::size_t>(firsts * seconds));
    if (pairs.pairs.empty()) {
        return out;
    }
    likelihood observed(pairs);
    MatrixXd shares =
        MatrixXd::Constant(firsts, seconds, 1.0 / static_cast<double>(firsts * seconds));
    climb_by_em(out, observed, shares, progress);
    if (!out.converged()) {
        climb_by_newton(out, observed, shares, progress);
    }
    const double n = observed.pairs();
    const std::vector<std::optional<double>> errors = errors_of(observed, shares);
    for (Index a = 0; a < firsts; ++a) {
        for (Index b = 0; b < seconds; ++b) {
            const auto c = static_cast<std::size_t>(turned ? b * firsts + a : a * seconds + b);
            if (const auto error = errors[static_cast<std::size_t>(a * seconds + b)]) {
                out.cells[c] = {n * shares(a, b), n * *error, static_cast<std::uint64_t>(n)};
            }
        }
    }
    return out;
}

} // namespace sotto::aggregator
