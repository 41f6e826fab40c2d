// SPDX-License-Identifier: Apache-2.0
// The level that a measurement starts at, by the spending of the last slots. Measurements come by
// chance, so nobody knows whether what is left of a window's budget will be needed. The table is
// the one of least mean error.
//
// A Markov decision process, solved exactly. The state is the levels of the last window - 1 slots.
// The cost of a measurement at epsilon e is 1 / e^2 (Laplace noise's variance up to a factor). The
// mean over all time is minimised. Everything that it looks at is public history.
#ifndef SOTTO_AGGREGATOR_PLAN_BUDGET_POLICY_HPP
#define SOTTO_AGGREGATOR_PLAN_BUDGET_POLICY_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Slots with measurements by chance, under one budget.
struct policy_question {
    std::vector<std::uint32_t> costs; // one a level, in any unit; rising, 1 to 254 of them
    std::uint32_t budget = 0;         // for `window` slots, in the same unit
    std::size_t window = 0;           // in slots, at least 2
    double probability = 0;           // chance that a slot has a measurement, above 0, at most 1
};

// An answer: a level for each state of the window.
struct budget_policy {
    // By state: the level that a measurement now starts at, counted from 1; 0: none fits. A state's
    // number has one digit a slot, in base levels + 1, the newest lowest; digit 0: no measurement.
    std::vector<std::uint8_t> level;
    std::size_t states = 0; // states that keep within the budget
    double error = 0;       // a slot's mean of 1 / e^2, e as a share of the budget
};

// Throws std::invalid_argument where the numbers are not as above, no level can be had in every
// slot, or there are more than 2^20 states.
budget_policy best_policy(const policy_question &question);

// The share of the budget that a measurement should cost, by the shares of the last window - 1
// slots, the oldest first.
using share_rule = std::function<double(std::span<const double> spent)>;

// A rule rounded down to levels, or up to the lowest, such that a level is left for every slot.
// Throws as above.
budget_policy rounded_policy(const policy_question &question, const share_rule &rule);

} // namespace sotto::aggregator
#endif
