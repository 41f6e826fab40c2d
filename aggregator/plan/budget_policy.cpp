// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/budget_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sotto::aggregator {
namespace {

constexpr std::size_t states_max = std::size_t{1} << 20;
constexpr double accuracy = 1e-10; // of the mean error
constexpr double impossible = std::numeric_limits<double>::infinity();

void check(const policy_question &q) {
    const bool rises =
        std::adjacent_find(q.costs.begin(), q.costs.end(), std::greater_equal<>()) == q.costs.end();
    if (q.costs.empty() || q.costs.size() > 254 || q.costs[0] == 0 || !rises || q.window < 2 ||
        !(q.probability > 0 && q.probability <= 1)) {
        throw std::invalid_argument("a policy needs rising costs, a window and a probability");
    }
    if (q.costs[0] > q.budget / q.window) {
        throw std::invalid_argument("the lowest level does not fit into every slot of a window");
    }
}

class process {
  public:
    explicit process(const policy_question &q) : question_(q), base_(q.costs.size() + 1) {
        std::size_t states = 1;
        for (std::size_t i = 1; i < q.window; ++i) {
            states *= base_;
            if (states > states_max) {
                throw std::invalid_argument("a policy of more than 2^20 states");
            }
        }
        spent_.resize(states);
        for (std::size_t s = 0; s < states; ++s) {
            for (std::size_t rest = s; rest != 0; rest /= base_) {
                const std::size_t level = rest % base_;
                spent_[s] += level == 0 ? 0 : q.costs[level - 1];
            }
        }
        value_.resize(states);
        find_safe();
    }

    budget_policy solve() {
        budget_policy best;
        for (double width = impossible; width > accuracy * best.error;) {
            width = improve(best.error);
        }
        for (std::size_t s = 0; s < spent_.size(); ++s) {
            best.level.push_back(static_cast<std::uint8_t>(safe_[s] ? decide(s).level : 0));
            best.states += spent_[s] <= question_.budget;
        }
        return best;
    }

  private:
    struct decision {
        std::size_t level;
        double value;
    };

    std::size_t next(std::size_t state, std::size_t level) const {
        return (state * base_ + level) % spent_.size();
    }

    // From a safe state measurements can be answered for ever.
    void find_safe() {
        safe_.assign(spent_.size(), true);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t s = 0; s < spent_.size(); ++s) {
                if (safe_[s] && decide(s).level == 0) {
                    safe_[s] = false;
                    changed = true;
                }
            }
        }
    }

    decision decide(std::size_t state) const {
        decision best{0, impossible};
        for (std::size_t level = 1; level < base_; ++level) {
            const std::uint32_t cost = question_.costs[level - 1];
            const std::size_t after = next(state, level);
            if (std::uint64_t{spent_[state]} + cost > question_.budget || !safe_[after]) {
                continue;
            }
            const double share = static_cast<double>(cost) / question_.budget;
            const double value = 1 / (share * share) + value_[after];
            if (value < best.value) {
                best = {level, value};
            }
        }
        return best;
    }

    // One step of relative value iteration; how far the bounds of the mean are apart.
    double improve(double &mean) {
        std::vector<double> values(value_.size());
        double least = impossible, most = -impossible;
        for (std::size_t s = 0; s < values.size(); ++s) {
            if (!safe_[s]) {
                continue;
            }
            values[s] = question_.probability * decide(s).value +
                        (1 - question_.probability) * value_[next(s, 0)];
            least = std::min(least, values[s] - value_[s]);
            most = std::max(most, values[s] - value_[s]);
        }
        const double offset = values[0];
        for (std::size_t s = 0; s < values.size(); ++s) {
            value_[s] = values[s] - offset;
        }
        mean = (least + most) / 2;
        return most - least;
    }

    const policy_question &question_;
    std::size_t base_;
    std::vector<std::uint32_t> spent_; // by state
    std::vector<double> value_;
    std::vector<bool> safe_;
};

} // namespace

budget_policy best_policy(const policy_question &question) {
    check(question);
    return process(question).solve();
}

} // namespace sotto::aggregator
