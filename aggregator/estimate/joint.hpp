// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_JOINT_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_JOINT_HPP

#include "aggregator/statistics/estimated.hpp"

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

namespace sotto::aggregator {

// Pairs of reports, each pair of one device. Equal reports are one row, equal pairs one entry: both
// time and memory grow with how many different ones there are.
struct report_pairs {
    using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    struct equal_pairs {
        std::uint32_t first = 0, second = 0; // rows
        std::uint64_t count = 0;
    };

    // A row for each different report: what it says of its metric's values (report_likelihood.hpp).
    matrix first, second;
    std::vector<equal_pairs> pairs;
};

// The fit, and how far it may be from the best one.
struct joint_fit {
    // How many of the pairs have value i of the first and j of the second metric: index i * (values
    // of the second) + j. Nothing where the reports can't tell.
    std::vector<std::optional<estimated>> cells;
    int rounds = 0;
    // By how much the log-likelihood can be below its maximum, at most. Converged: 0.01.
    double gap = 0;
    bool converged() const { return gap <= 0.01; }
};

// Bytes at most for the covariance of so many cells: five matrices.
inline double joint_bytes(double cells) { return 5 * sizeof(double) * cells * cells; }

// The joint distribution s of two metrics, of greatest likelihood. The noise of the two is
// independent, so the log-likelihood is this:
//   sum over pairs i of log sum over (a, b) of s_ab P(report 1 of i | a) P(report 2 of i | b).
// By expectation maximization from a uniform start (Fanti, Pihur, Erlingsson, Building a RAPPOR
// with the Unknown, PoPETs 2016, section 3). SQUAREM speeds it up (Varadhan and Roland,
// Scandinavian Journal of Statistics 2008). EM is slow where much noise leaves the likelihood flat.
// After some rounds a primal-dual interior point method goes on, by Newton's steps on the same
// problem without the sum. Sources: Koenker and Mizera, JASA 2014, section 3. Kim et al., A Fast
// Algorithm for Maximum Likelihood Estimation of Mixture Proportions, JCGS 2020, section 2. The
// likelihood is concave in s, so there is one maximum. Let D_ab be the mean over pairs of
// P P / sum. The maximum is no further than n (max D - 1) away: `gap`, the check of convergence.
//
// Standard errors are from the observed information: the inverse of sum of D_i D_i', held to shares
// that add up to 1. Subtracted is s (1 - s) / n, the chance of drawing the devices. The maximum is
// never negative, so near 0 its error is smaller than that, and the interval covers more. Time
// grows with the cube of the cells, memory as joint_bytes() has it. `progress` is called with the
// rounds that are done, now and then.
joint_fit estimate_joint(
    report_pairs pairs, const std::function<void(int)> &progress = [](int) {});

} // namespace sotto::aggregator
#endif
