// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/budget_policy.hpp"
#include "aggregator/plan/linear_rule.hpp"
#include "aggregator/plan/offline_budget.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <string>

namespace sotto::aggregator {
namespace {

nlohmann::json vectors(const std::string &name) {
    return nlohmann::json::parse(std::ifstream(SOTTO_VECTORS "/" + name));
}

double fullest_window(const std::vector<double> &epsilons, std::size_t window) {
    double most = 0;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const std::size_t end = std::min(i + window, epsilons.size());
        most = std::max(most,
                        std::accumulate(epsilons.begin() + static_cast<std::ptrdiff_t>(i),
                                        epsilons.begin() + static_cast<std::ptrdiff_t>(end), 0.0));
    }
    return most;
}

TEST(OfflineBudget, AgreesWithReferenceNumbers) {
    const nlohmann::json budgets = vectors("budgets.json");
    for (const auto &c : budgets.at("cases")) {
        const auto weights = c.at("w").get<std::vector<double>>();
        const auto best = best_offline(weights, c.at("delta"), 1);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            EXPECT_NEAR(best.epsilons[i], std::stod(c.at("alloc")[i].get<std::string>()), 2e-7);
        }
        EXPECT_NEAR(best.error, std::stod(c.at("objective").get<std::string>()), 1e-7);
    }
}

TEST(OfflineBudget, KeepsEveryWindowWithinTheBudgetAndBeatsEqualShares) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 20; ++round) {
        std::vector<double> weights(60);
        for (double &w : weights) {
            w = static_cast<double>(random() % 4);
        }
        const std::size_t window = 1 + random() % 9;
        const auto best = best_offline(weights, window, 3);
        EXPECT_LE(fullest_window(best.epsilons, window), 3 + 1e-9);
        EXPECT_LE(best.gap, 1e-9 * best.error);
        double equal = 0, found = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const double share = 3 / static_cast<double>(window);
            equal += weights[i] / (share * share);
            found += weights[i] > 0 ? weights[i] / (best.epsilons[i] * best.epsilons[i]) : 0;
        }
        EXPECT_NEAR(found, best.error, 1e-9 * found);
        EXPECT_LE(best.error, equal * (1 + 1e-9));
    }
}

TEST(OfflineBudget, NothingMeasuredCostsNothing) {
    const auto best = best_offline(std::vector<double>(5), 3, 1);
    EXPECT_EQ(best.epsilons, std::vector<double>(5));
    EXPECT_EQ(best.error, 0);
}

// One window: shares go by the cube roots of the weights.
TEST(OfflineBudget, OfOneWindowHasAClosedForm) {
    for (const std::vector<double> &weights :
         {std::vector<double>{1e-9, 1e9, 1, 0}, {1, 2, 3, 4, 5}, {1e9, 1e9}}) {
        double roots = 0;
        for (const double w : weights) {
            roots += std::cbrt(w);
        }
        const auto best = best_offline(weights, weights.size(), 2);
        EXPECT_NEAR(best.error, roots * roots * roots / 4, 1e-9 * best.error);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            EXPECT_NEAR(best.epsilons[i], 2 * std::cbrt(weights[i]) / roots, 1e-4);
        }
    }
}

// No allocation has a smaller error: a bound from multipliers of the windows, by duality. They are
// found by another method than the optimum, and any of them bounds it.
double least_error(const std::vector<double> &weights, std::size_t window) {
    const std::size_t windows = weights.size() - window + 1;
    std::vector<double> multipliers(windows, 20), epsilons(weights.size());
    double bound = 0;
    for (int round = 0; round < 400; ++round) {
        bound = -std::accumulate(multipliers.begin(), multipliers.end(), 0.0);
        for (std::size_t slot = 0; slot < weights.size(); ++slot) {
            double price = 0; // epsilon's, in all windows that have the slot
            for (std::size_t at = slot + 1 < window ? 0 : slot + 1 - window;
                 at <= std::min(slot, windows - 1); ++at) {
                price += multipliers[at];
            }
            epsilons[slot] = std::cbrt(2 * weights[slot] / price);
            bound += 3 * std::cbrt(weights[slot] * price * price / 4);
        }
        for (std::size_t at = 0; at < windows; ++at) {
            double spent = 1e-9;
            for (std::size_t slot = at; slot < at + window; ++slot) {
                spent += epsilons[slot];
            }
            multipliers[at] = std::max(1e-12, multipliers[at] * spent * std::sqrt(spent));
        }
    }
    return bound;
}

// Half of the slots are measured. Errors of sequences differ: so one of them tells little.
TEST(OfflineBudget, IsTheLeastByDuality) {
    std::mt19937_64 random(6);
    double sum = 0, squares = 0;
    constexpr std::size_t sequences = 10, slots = 2000;
    for (std::size_t i = 0; i < sequences; ++i) {
        std::vector<double> weights(slots);
        for (double &w : weights) {
            w = static_cast<double>(random() >> 63);
        }
        const auto best = best_offline(weights, 4, 1);
        const double least = least_error(weights, 4);
        EXPECT_LE(least, best.error * (1 + 1e-9));
        EXPECT_GE(least, best.error * (1 - 1e-3));
        EXPECT_LT(least, 1.01 * best.error * (1 - 1e-3)) << "the control: a larger error fails";
        sum += best.error / slots;
        squares += best.error / slots * (best.error / slots);
    }
    const double mean = sum / sequences;
    std::printf("a slot's least error: %.2f, sequences of %zu slots differ by %.2f\n", mean, slots,
                std::sqrt(squares / sequences - mean * mean));
}

policy_question question(const nlohmann::json &c) {
    return {c.at("levels").get<std::vector<std::uint32_t>>(), 24, c.at("delta"), c.at("p")};
}

TEST(BudgetPolicy, AgreesWithReferenceNumbers) {
    const nlohmann::json streams = vectors("streams.json");
    for (const auto &c : streams.at("policy")) {
        const budget_policy best = best_policy(question(c));
        EXPECT_EQ(best.states, c.at("states").get<std::size_t>());
        EXPECT_NEAR(best.error, c.at("mean_error_per_slot").get<double>(), 5e-5);
        for (std::size_t i = 0; i < c.at("first_actions").size(); ++i) {
            EXPECT_EQ(best.level[i], c.at("first_actions")[i].get<int>()) << i;
        }
    }
}

// Follows a table for long; what it spends, and its mean error.
double followed(const policy_question &q, const budget_policy &policy, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::bernoulli_distribution measures(q.probability);
    std::size_t state = 0;
    double error = 0;
    std::vector<std::uint32_t> spent;
    const int slots = 400'000;
    for (int i = 0; i < slots; ++i) {
        const std::size_t level = measures(random) ? policy.level[state] : 0;
        spent.push_back(level == 0 ? 0 : q.costs[level - 1]);
        if (level > 0) {
            const double share = static_cast<double>(spent.back()) / q.budget;
            error += 1 / (share * share);
        }
        state = (state * (q.costs.size() + 1) + level) % policy.level.size();
        const std::size_t first = spent.size() < q.window ? 0 : spent.size() - q.window;
        EXPECT_LE(
            std::accumulate(spent.begin() + static_cast<std::ptrdiff_t>(first), spent.end(), 0u),
            q.budget);
    }
    return error / slots;
}

TEST(BudgetPolicy, IsWhatItSaysWhenItIsFollowed) {
    const policy_question q{{2, 4, 6, 8}, 24, 4, 0.5};
    const budget_policy best = best_policy(q);
    // A slot's error has a standard deviation of some 8, so that the mean's is below 0.03.
    EXPECT_NEAR(followed(q, best, 1), best.error, 0.2);
    budget_policy equal = best; // the paper's equal shares
    std::fill(equal.level.begin(), equal.level.end(), std::uint8_t{3});
    EXPECT_GT(followed(q, equal, 1), best.error + 0.5);
}

linear_rule rule_of(const nlohmann::json &c) {
    linear_rule rule;
    for (const auto &weight : c.at("c")) {
        rule.weights.push_back(std::stod(weight.get<std::string>()));
    }
    return rule;
}

// The design's numbers, for windows of 4 slots, half of them measured. A mean over 400,000 slots
// has a standard error below 0.02.
TEST(BudgetPolicy, BeatsEqualSharesWhereTheRoundedLinearRuleDoesNot) {
    const policy_question q{{2, 4, 6, 8}, 24, 4, 0.5};
    const linear_rule rule = rule_of(vectors("budgets.json").at("online_linear_rule")[0]);
    const budget_policy best = best_policy(q);
    const budget_policy equal = rounded_policy(q, [](auto) { return 0.25; });
    const budget_policy rounded = rounded_policy(q, [&](auto spent) { return rule.share(spent); });
    const double linear = mean_error(rule, 0.5, 400'000, 3);
    std::printf("best %.2f in %zu bytes, equal %.2f, linear rounded %.2f, linear %.2f\n",
                best.error, best.level.size(), equal.error, rounded.error, linear);
    EXPECT_NEAR(best.error, 6.80, 5e-3);
    EXPECT_EQ(best.level.size(), 125u);
    EXPECT_NEAR(equal.error, 8, 1e-6);
    EXPECT_NEAR(rounded.error, 8.26, 0.01);
    EXPECT_NEAR(linear, 6.78, 0.08);
    EXPECT_NEAR(followed(q, rounded, 1), rounded.error, 0.2);
}

TEST(LinearRule, IsFittedAsWellAsTheReferences) {
    const nlohmann::json budgets = vectors("budgets.json");
    for (const auto &c : budgets.at("online_linear_rule")) {
        const double p = c.at("p"), reference = std::stod(c.at("err_per_slot").get<std::string>());
        const linear_rule fitted = fitted_linear_rule(c.at("delta"), p);
        EXPECT_NEAR(mean_error(rule_of(c), p, 200'000, 4), reference, 0.02 * reference);
        EXPECT_LE(mean_error(fitted, p, 200'000, 4), 1.02 * reference);
    }
}

// 5, 7, 5, 7: the best policy has a period, and so have its values.
TEST(BudgetPolicy, MayHaveAPeriod) {
    const budget_policy best = best_policy({{5, 7}, 24, 4, 1});
    EXPECT_NEAR(best.error, (24 * 24 / 25. + 24 * 24 / 49.) / 2, 1e-6);
}

// A level that is too low a share is not wanted; one that leaves none for later is not allowed.
TEST(BudgetPolicy, RoundsUpToTheLowestLevelAndNeverAboveWhatIsSafe) {
    const policy_question q{{2, 4, 6, 8}, 24, 4, 0.5};
    const budget_policy least = rounded_policy(q, [](auto) { return 0.0; });
    EXPECT_EQ(std::count(least.level.begin(), least.level.end(), 1), 124);
    EXPECT_EQ(least.level.back(), 0); // all is spent
    const budget_policy most = rounded_policy(q, [](auto) { return 1.0; });
    EXPECT_EQ(most.level.front(), 4); // nothing was measured
    (void)followed(q, most, 2);
}

TEST(BudgetPolicy, AlwaysAnswers) {
    const policy_question q{{1, 5, 12}, 13, 3, 0.9};
    const budget_policy best = best_policy(q);
    std::size_t state = 0;
    for (int i = 0; i < 1000; ++i) {
        ASSERT_NE(best.level[state], 0);
        state = (state * 4 + best.level[state]) % best.level.size();
    }
}

TEST(BudgetPolicy, RefusesWhatCanNotBe) {
    EXPECT_THROW(best_policy({{}, 24, 4, 0.5}), std::invalid_argument);
    EXPECT_THROW(best_policy({{2, 2}, 24, 4, 0.5}), std::invalid_argument);
    EXPECT_THROW(best_policy({{7}, 24, 4, 0.5}), std::invalid_argument); // not in every slot
    EXPECT_THROW(best_policy({{1, 2}, 24, 4, 0}), std::invalid_argument);
    EXPECT_THROW(best_policy({{1, 2, 3}, 64, 12, 0.5}), std::invalid_argument); // 4^11 states
}

} // namespace
} // namespace sotto::aggregator
