// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/budget_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sotto::aggregator {
namespace {

constexpr std::size_t states_max = std::size_t{1} << 20;
constexpr double accuracy = 1e-10; // the mean error's
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

    budget_policy best() {
        const auto choose = [this](std::size_t state) { return decide(state); };
        return solved(choose);
    }

    budget_policy rounded(const share_rule &rule) {
        std::vector<std::size_t> levels(spent_.size());
        for (std::size_t s = 0; s < levels.size(); ++s) {
            levels[s] = safe_[s] ? highest_below(s, rule(shares(s))) : 0;
        }
        const auto choose = [&](std::size_t state) {
            return decision{levels[state], value(state, levels[state])};
        };
        return solved(choose);
    }

  private:
    struct decision {
        std::size_t level;
        double value;
    };

    std::size_t next(std::size_t state, std::size_t level) const {
        return (state * base_ + level) % spent_.size();
    }

    template <typename Choose> budget_policy solved(const Choose &choose) {
        budget_policy made;
        for (double width = impossible; width > accuracy * made.error;) {
            width = improve(made.error, choose);
        }
        for (std::size_t s = 0; s < spent_.size(); ++s) {
            made.level.push_back(static_cast<std::uint8_t>(safe_[s] ? choose(s).level : 0));
            made.states += spent_[s] <= question_.budget;
        }
        return made;
    }

    // Spent in the last slots, the oldest first.
    std::vector<double> shares(std::size_t state) const {
        std::vector<double> shares(question_.window - 1);
        for (std::size_t i = shares.size(); i-- > 0; state /= base_) {
            shares[i] = state % base_ == 0 ? 0 : share(state % base_);
        }
        return shares;
    }

    double share(std::size_t level) const {
        return static_cast<double>(question_.costs[level - 1]) / question_.budget;
    }

    double value(std::size_t state, std::size_t level) const {
        return 1 / (share(level) * share(level)) + value_[next(state, level)];
    }

    bool is_allowed(std::size_t state, std::size_t level) const {
        return std::uint64_t{spent_[state]} + question_.costs[level - 1] <= question_.budget &&
               safe_[next(state, level)];
    }

    // The lowest that is allowed where none is low enough: in a safe state there is one.
    std::size_t highest_below(std::size_t state, double wanted) const {
        std::size_t found = 0;
        for (std::size_t level = 1; level < base_; ++level) {
            if (is_allowed(state, level) && (found == 0 || share(level) <= wanted * (1 + 1e-12))) {
                found = level;
            }
        }
        return found;
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
            const double value = is_allowed(state, level) ? this->value(state, level) : impossible;
            if (value < best.value) {
                best = {level, value};
            }
        }
        return best;
    }

    // Half a step of relative value iteration, as whole ones never end where a policy has a period
    // (Puterman, Markov Decision Processes, 8.5.4). Returns how far the bounds of the mean are
    // apart.
    template <typename Choose> double improve(double &mean, const Choose &choose) {
        std::vector<double> values(value_.size());
        double least = impossible, most = -impossible;
        for (std::size_t s = 0; s < values.size(); ++s) {
            if (!safe_[s]) {
                continue;
            }
            const double more = question_.probability * choose(s).value +
                                (1 - question_.probability) * value_[next(s, 0)] - value_[s];
            values[s] = value_[s] + more / 2;
            least = std::min(least, more);
            most = std::max(most, more);
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
    return process(question).best();
}

budget_policy rounded_policy(const policy_question &question, const share_rule &rule) {
    check(question);
    return process(question).rounded(rule);
}

} // namespace sotto::aggregator
