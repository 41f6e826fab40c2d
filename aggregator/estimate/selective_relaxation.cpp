// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/selective_relaxation.hpp"

#include "aggregator/estimate/consistent.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double chance(double keep, Index size, bool same) {
    return (same ? keep : 0) + (1 - keep) / static_cast<double>(size);
}

// The outcomes that can be: their counts, and a column of P(o | x) each.
struct outcome_table {
    VectorXd counts;
    MatrixXd given; // a row for each true value
};

outcome_table table_of(const relaxation_outcomes &outcomes, const relaxation_channel &channel) {
    const auto size = static_cast<Index>(outcomes.kept.size());
    const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
    const double chain = channel.keep_first / channel.keep_second;
    outcome_table out;
    std::vector<VectorXd> columns;
    std::vector<double> counts;
    for (Index first = 0; first < size; ++first) {
        const double kept = count(outcomes.kept[static_cast<std::size_t>(first)]);
        double relaxed = 0;
        for (Index second = 0; second < size; ++second) {
            relaxed += count(outcomes.relaxed[static_cast<std::size_t>(first * size + second)]);
        }
        const double share = kept + relaxed > 0 ? relaxed / (kept + relaxed) : 0;
        if (share < 1) {
            VectorXd column(size);
            for (Index x = 0; x < size; ++x) {
                column[x] = (1 - share) * chance(channel.keep_first, size, first == x);
            }
            columns.push_back(column);
            counts.push_back(kept);
        }
        for (Index second = 0; second < size && share > 0; ++second) {
            VectorXd column(size);
            for (Index x = 0; x < size; ++x) {
                column[x] = share * chance(channel.keep_second, size, second == x) *
                            chance(chain, size, first == second);
            }
            columns.push_back(column);
            counts.push_back(
                count(outcomes.relaxed[static_cast<std::size_t>(first * size + second)]));
        }
    }
    out.counts = Eigen::Map<VectorXd>(counts.data(), static_cast<Index>(counts.size()));
    out.given.resize(size, out.counts.size());
    for (std::size_t o = 0; o < columns.size(); ++o) {
        out.given.col(static_cast<Index>(o)) = columns[o];
    }
    return out;
}

// The weights that are best were the values as frequent as `shares`: a row for each outcome.
MatrixXd weights(const outcome_table &table, const VectorXd &shares) {
    const VectorXd inverse = (table.given.transpose() * shares).cwiseInverse();
    const MatrixXd weighted = inverse.asDiagonal() * table.given.transpose();
    const MatrixXd square = table.given * weighted;
    return weighted * square.ldlt().solve(MatrixXd::Identity(square.rows(), square.cols()));
}

} // namespace

std::vector<estimated> estimate_selectively_relaxed(const relaxation_outcomes &outcomes,
                                                    const relaxation_channel &channel) {
    const outcome_table table = table_of(outcomes, channel);
    const double reports = table.counts.sum();
    const auto size = table.given.rows();
    std::vector<estimated> out(outcomes.kept.size());
    if (reports == 0) {
        return out;
    }
    // Any shares give an unbiased estimate, near ones a good one: so twice.
    VectorXd shares = VectorXd::Constant(size, 1.0 / static_cast<double>(size));
    MatrixXd h;
    VectorXd found;
    for (int round = 0; round < 2; ++round) {
        h = weights(table, shares);
        found = h.transpose() * table.counts;
        const std::vector<double> counts(found.data(), found.data() + size);
        const std::vector<double> able = consistent_counts(counts, reports, reports, false);
        for (Index x = 0; x < size; ++x) {
            shares[x] = 0.99 * able[static_cast<std::size_t>(x)] / reports +
                        0.01 / static_cast<double>(size);
        }
    }
    const VectorXd squares = h.cwiseAbs2().transpose() * table.counts;
    for (Index x = 0; x < size; ++x) {
        estimated &one = out[static_cast<std::size_t>(x)];
        one.value = found[x];
        // Of a release of another value the mean is 0, of this one 1.
        one.std_error = std::sqrt(std::max(0.0, squares[x] - found[x]));
        one.reports = static_cast<std::uint64_t>(reports);
    }
    return out;
}

} // namespace sotto::aggregator
