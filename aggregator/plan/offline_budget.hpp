// SPDX-License-Identifier: Apache-2.0
// The best epsilons of measurements that are known in advance, within a sliding window's budget.
//
// Minimises the sum of w_i / e_i^2, the variance of Laplace noise up to a factor. The e of any
// `window` slots that follow one another sum to at most epsilon (Fang, Chang, ASIACCS 2014, section
// 6). The first window and those shorter than `window` count here, too. An online policy can't be
// better, so this is what one is held against.
#ifndef SOTTO_AGGREGATOR_PLAN_OFFLINE_BUDGET_HPP
#define SOTTO_AGGREGATOR_PLAN_OFFLINE_BUDGET_HPP

#include <cstddef>
#include <span>
#include <vector>

namespace sotto::aggregator {

// The best epsilons, and how sure that is.
struct offline_budget {
    std::vector<double> epsilons; // by slot; 0 where the weight is 0
    double error = 0;             // the sum of w_i / e_i^2
    double gap = 0;               // `error` is above the least one by at most this
};

// Weights are at least 0, one a slot; window is at least 1; epsilon is above 0.
// By Newton's method on a logarithmic barrier: O(slots window^2) a step, some 60 steps.
offline_budget best_offline(std::span<const double> weights, std::size_t window, double epsilon);

} // namespace sotto::aggregator
#endif
