// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_JOINT_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_JOINT_HPP

#include "aggregator/estimate/estimated.hpp"

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

namespace sotto::aggregator {

// Two reports of one device, pair by pair: what each says of its metric's values
// (report_likelihood.hpp), a row for each pair.
struct report_pairs {
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    matrix first, second;
};

struct joint_fit {
    // How many of the pairs have value i of the first and j of the second metric: index i * (values
    // of the second) + j. Nothing where the reports can't tell.
    std::vector<std::optional<estimated>> cells;
    int rounds = 0;
    // By how much the log-likelihood can be below its maximum, at most. Converged: 0.01.
    double gap = 0;
    bool converged() const { return gap <= 0.01; }
};

inline constexpr Eigen::Index joint_cells_max = 1024;

// The joint distribution s of two metrics, of greatest likelihood:
//   sum over pairs i of log sum over (a, b) of s_ab P(report 1 of i | a) P(report 2 of i | b),
// as the noise of the two is independent. By expectation maximization (Fanti, Pihur, Erlingsson,
// Building a RAPPOR with the Unknown, PoPETs 2016, section 3), sped up by SQUAREM (Varadhan and
// Roland, Scandinavian Journal of Statistics 2008), from a uniform start. The likelihood is concave
// in s, so there is one maximum, and with D_ab the mean over pairs of P P / sum it is no further
// than n (max D - 1) away: that is `gap`, and the check of convergence.
//
// Standard errors are from the observed information: the inverse of sum of D_i D_i', held to shares
// that add up to 1, less the s (1 - s) / n that is the chance of drawing the devices. The maximum
// is never negative, so near 0 its error is smaller than that, and the interval covers more. At
// most joint_cells_max cells. `progress` is called with the rounds that are done, now and then.
joint_fit estimate_joint(
    const report_pairs &pairs, const std::function<void(int)> &progress = [](int) {});

} // namespace sotto::aggregator
#endif
