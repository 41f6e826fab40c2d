// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/schedule.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/plan/offline_budget.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace sotto::aggregator {
namespace {

constexpr std::size_t policy_bytes_max = 4096; // as in tools/registry/policy.py
constexpr std::size_t slots_followed = 400'000;

// So that the sum of a window stays within the budget as it is printed.
double nine_digits_down(double epsilon) {
    const double unit = std::pow(10, std::floor(std::log10(epsilon)) - 8);
    return epsilon == 0 ? 0 : std::stod(fmt::format("{:.9g}", std::floor(epsilon / unit) * unit));
}

// The epochs' levels are all that there is to know of the past.
std::string obstacle(const metric &m) {
    if (!m.window || m.window->epochs < 2) {
        return "no window_epochs of 2 or more";
    }
    if (m.per_epoch != 1) {
        return "more than one measurement an epoch";
    }
    if (m.cost_reports > 0) {
        return "releases that share noise";
    }
    const double states =
        std::pow(static_cast<double>(m.levels.size() + 1), m.window->epochs - 1.0);
    return states > policy_bytes_max
               ? fmt::format("a table of {:.4g} states, and a device takes {}; fewer levels or a "
                             "shorter window would do",
                             states, grouped(policy_bytes_max))
               : "";
}

policy_question question(const metric &m, double probability) {
    policy_question q{{}, m.window->units, m.window->epochs, probability};
    for (std::size_t level = 0; level < m.levels.size(); ++level) {
        q.costs.push_back(m.costs[level]);
    }
    return q;
}

} // namespace

offline_schedule make_offline_schedule(std::vector<double> weights, std::size_t window,
                                       double epsilon) {
    const offline_budget best = best_offline(weights, window, epsilon);
    offline_schedule made{std::move(weights), best.epsilons, window, epsilon,
                          best.error,         best.gap,      0};
    std::ranges::transform(made.epsilons, made.epsilons.begin(), nine_digits_down);
    const double share = epsilon / static_cast<double>(window);
    for (const double weight : made.weights) {
        made.error_of_equal_shares += weight / (share * share);
    }
    return made;
}

std::vector<unsigned> policy_schedule::levels() const {
    std::vector<unsigned> levels;
    for (const std::uint8_t level : best.level) {
        levels.push_back(level == 0 ? 0u : level - 1u);
    }
    return levels;
}

policy_schedule make_policy_schedule(const metric &m, double probability) {
    const auto fail = [&](const std::string &why) {
        throw usage_error(fmt::format("metric {}: {}", in_quotes(m.name), why));
    };
    if (const std::string why = obstacle(m); !why.empty()) {
        fail("has " + why);
    }
    const policy_question q = question(m, probability);
    const double equal = 1 / static_cast<double>(q.window);
    const linear_rule linear = fitted_linear_rule(q.window, probability);
    try {
        return {m.name,
                m.levels.size(),
                *m.window,
                probability,
                best_policy(q),
                rounded_policy(q, [&](auto) { return equal; }),
                rounded_policy(q, [&](auto spent) { return linear.share(spent); }),
                linear,
                mean_error(linear, probability, slots_followed, 2)};
    } catch (const std::invalid_argument &e) {
        fail(e.what());
        throw;
    }
}

} // namespace sotto::aggregator
