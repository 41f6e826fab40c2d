// SPDX-License-Identifier: Apache-2.0
// Answers of sotto schedule: how a sliding window's budget is best spent.
#ifndef SOTTO_AGGREGATOR_PLAN_SCHEDULE_HPP
#define SOTTO_AGGREGATOR_PLAN_SCHEDULE_HPP

#include "aggregator/mechanism/metric.hpp"
#include "aggregator/plan/budget_policy.hpp"
#include "aggregator/plan/linear_rule.hpp"

#include <string>
#include <variant>
#include <vector>

namespace sotto::aggregator {

// Measurements that are known in advance.
struct offline_schedule {
    std::vector<double> weights;  // by slot
    std::vector<double> epsilons; // the best, rounded down; 0 where the weight is 0
    std::size_t window = 0;
    double epsilon = 0; // a window's
    double error = 0;   // the sum of weight / epsilon^2, of the best epsilons
    double gap = 0;     // at most so much above the least there is
    double error_of_equal_shares = 0;
};
// Weights are finite and at least 0, window is at least 1, epsilon is above 0.
offline_schedule make_offline_schedule(std::vector<double> weights, std::size_t window,
                                       double epsilon);

// Measurements that come by chance, one in an epoch at most. Errors are an epoch's mean of
// 1 / e^2, e as a share of the budget.
struct policy_schedule {
    std::string metric;
    std::size_t level_count = 0;
    budget window;
    double probability = 0; // chance that an epoch has a measurement
    budget_policy best, equal, rounded;
    linear_rule linear; // before it is rounded
    double error_of_linear = 0;

    // The level, from 0, that a measurement starts at, by state (budget_policy), as metrics.toml
    // has it: 0 too where none fits.
    std::vector<unsigned> levels() const;
};
// Errors: usage_error naming the metric, where there is no such policy.
policy_schedule make_policy_schedule(const metric &m, double probability);

using schedule = std::variant<offline_schedule, policy_schedule>;

} // namespace sotto::aggregator
#endif
