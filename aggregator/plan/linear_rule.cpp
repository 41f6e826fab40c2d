// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/linear_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace sotto::aggregator {
namespace {

constexpr std::size_t slots_to_fit = 20'000;
constexpr double first_step = 0.1, last_step = 0.001;

} // namespace

double linear_rule::share(std::span<const double> spent) const {
    const double window = static_cast<double>(weights.size());
    const double left = 1 - std::accumulate(spent.begin(), spent.end(), 0.0);
    double wanted = weights[0];
    for (std::size_t i = 0; i < spent.size(); ++i) {
        wanted -= weights[i + 1] * spent[i];
    }
    const double next_too = left + spent[0] - 1 / (2 * window); // the oldest is free then
    return std::max(std::min({wanted, left, next_too}), left / (2 * window));
}

double mean_error(const linear_rule &rule, double probability, std::size_t slots,
                  std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> spent(rule.weights.size() - 1);
    double sum = 0;
    for (std::size_t i = 0; i < slots; ++i) {
        double share = 0;
        if (std::ldexp(static_cast<double>(random() >> 11), -53) < probability) {
            share = rule.share(spent);
            sum += 1 / (share * share);
        }
        std::shift_left(spent.begin(), spent.end(), 1);
        spent.back() = share;
    }
    return sum / static_cast<double>(slots);
}

linear_rule fitted_linear_rule(std::size_t window, double probability) {
    linear_rule best{std::vector<double>(window)};
    best.weights[0] = 1 / static_cast<double>(window); // equal shares
    const auto error = [&](const linear_rule &rule) {
        return mean_error(rule, probability, slots_to_fit, 1);
    };
    double least = error(best);
    for (double step = first_step; step >= last_step;) {
        bool is_better = false;
        for (std::size_t i = 0; i < 2 * window; ++i) {
            linear_rule other = best;
            other.weights[i / 2] += i % 2 == 0 ? step : -step;
            if (const double found = error(other); found < least) {
                best = other;
                least = found;
                is_better = true;
            }
        }
        step = is_better ? step : step / 2;
    }
    return best;
}

} // namespace sotto::aggregator
