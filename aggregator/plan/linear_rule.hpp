// SPDX-License-Identifier: Apache-2.0
// The online rule of Fang and Chang (ASIACCS 2014, section 6): a slot's epsilon is linear in those
// of the last slots. No device follows it, as its epsilons are no levels; a table is held against
// it.
#ifndef SOTTO_AGGREGATOR_PLAN_LINEAR_RULE_HPP
#define SOTTO_AGGREGATOR_PLAN_LINEAR_RULE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Shares of a window's budget.
struct linear_rule {
    // The share where nothing is spent, then what each of the last window - 1 slots takes away, the
    // oldest first.
    std::vector<double> weights;

    // A slot's share, above 0; each of the slots after it is left one, too.
    double share(std::span<const double> spent) const;
};

// A slot's mean of 1 / share^2 over so many, with a measurement in each by chance. Pure.
double mean_error(const linear_rule &rule, double probability, std::size_t slots,
                  std::uint64_t seed);

// The weights with the least mean error, by search; window is at least 2. Pure.
linear_rule fitted_linear_rule(std::size_t window, double probability);

} // namespace sotto::aggregator
#endif
