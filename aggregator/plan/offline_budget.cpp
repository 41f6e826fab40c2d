// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/offline_budget.hpp"

#include "aggregator/plan/band_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto::aggregator {
namespace {

constexpr double wanted_gap = 1e-10; // the error's
constexpr double sharper = 20;       // the barrier's weight, from one round to the next
constexpr int steps_max = 60;        // a round's; it takes some five

// Measurements first .. last lie in one window, and no window holds them and another.
struct measured_window {
    std::size_t first, last;
};

// The problem without slots that measure nothing, at an epsilon of 1.
class barrier {
  public:
    barrier(std::span<const double> weights, std::size_t window) {
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (weights[i] > 0) {
                slots.push_back(i);
                weight.push_back(weights[i]);
            }
        }
        find_windows(window);
        e.assign(slots.size(), 0.9 / static_cast<double>(window));
        slack = slack_of(e);
    }

    double error(const std::vector<double> &at) const {
        double sum = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            sum += weight[i] / (at[i] * at[i]);
        }
        return sum;
    }

    // To the minimum of t error - sum of ln(slack), from where it stands.
    void minimise(double t) {
        for (int i = 0; i < steps_max; ++i) {
            const std::vector<double> slope = gradient(t);
            std::vector<double> step = hessian(t).solved(slope);
            double decrease = 0;
            for (std::size_t k = 0; k < step.size(); ++k) {
                decrease += slope[k] * step[k];
                step[k] = -step[k];
            }
            if (decrease < 1e-10 || !follow(step, t, decrease)) {
                return;
            }
        }
    }

    std::vector<std::size_t> slots;
    std::vector<double> weight, e;
    std::vector<measured_window> windows;

  private:
    void find_windows(std::size_t window) {
        std::size_t last = 0;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const std::size_t before = last;
            last = std::max(last, i);
            while (last + 1 < slots.size() && slots[last + 1] < slots[i] + window) {
                ++last;
            }
            if (i == 0 || last > before) {
                windows.push_back({i, last});
                width = std::max(width, last - i);
            }
        }
    }

    std::vector<double> slack_of(const std::vector<double> &at) const {
        std::vector<double> left;
        left.reserve(windows.size());
        for (const auto [first, last] : windows) {
            double sum = 0;
            for (std::size_t i = first; i <= last; ++i) {
                sum += at[i];
            }
            left.push_back(1 - sum);
        }
        return left;
    }

    double value(double t, const std::vector<double> &at, const std::vector<double> &left) const {
        double logarithms = 0;
        for (const double s : left) {
            if (s <= 0) {
                return std::numeric_limits<double>::infinity();
            }
            logarithms += std::log(s);
        }
        return t * error(at) - logarithms;
    }

    std::vector<double> gradient(double t) const {
        std::vector<double> slope(e.size());
        for (std::size_t i = 0; i < e.size(); ++i) {
            slope[i] = -2 * t * weight[i] / (e[i] * e[i] * e[i]);
        }
        for (std::size_t k = 0; k < windows.size(); ++k) {
            for (std::size_t i = windows[k].first; i <= windows[k].last; ++i) {
                slope[i] += 1 / slack[k];
            }
        }
        return slope;
    }

    band_matrix hessian(double t) const {
        band_matrix h(e.size(), width);
        for (std::size_t i = 0; i < e.size(); ++i) {
            h.at(i, i) = 6 * t * weight[i] / (e[i] * e[i] * e[i] * e[i]);
        }
        for (std::size_t k = 0; k < windows.size(); ++k) {
            const double curvature = 1 / (slack[k] * slack[k]);
            for (std::size_t i = windows[k].first; i <= windows[k].last; ++i) {
                for (std::size_t j = windows[k].first; j <= i; ++j) {
                    h.at(i, j) += curvature;
                }
            }
        }
        return h;
    }

    // As far as it leads down, halving; false where nothing does any more.
    bool follow(const std::vector<double> &step, double t, double decrease) {
        const double before = value(t, e, slack);
        double part = longest(step);
        while (part > 1e-12) {
            std::vector<double> next(e.size());
            for (std::size_t i = 0; i < e.size(); ++i) {
                next[i] = e[i] + part * step[i];
            }
            std::vector<double> left = slack_of(next);
            if (value(t, next, left) <= before - 0.1 * part * decrease) {
                e = std::move(next);
                slack = std::move(left);
                return true;
            }
            part /= 2;
        }
        return false;
    }

    // At most 1, so that every e stays positive.
    double longest(const std::vector<double> &step) const {
        double part = 1;
        for (std::size_t i = 0; i < e.size(); ++i) {
            if (step[i] < 0) {
                part = std::min(part, -0.95 * e[i] / step[i]);
            }
        }
        return part;
    }

    std::size_t width = 0; // a window's length in measurements, less one
    std::vector<double> slack;
};

} // namespace

offline_budget best_offline(std::span<const double> weights, std::size_t window, double epsilon) {
    offline_budget best;
    best.epsilons.resize(weights.size());
    barrier problem(weights, window);
    if (problem.slots.empty()) {
        return best;
    }
    const auto windows = static_cast<double>(problem.windows.size());
    double t = windows / problem.error(problem.e);
    problem.minimise(t);
    while (windows / t > wanted_gap * problem.error(problem.e)) {
        t *= sharper;
        problem.minimise(t);
    }
    for (std::size_t i = 0; i < problem.slots.size(); ++i) {
        best.epsilons[problem.slots[i]] = epsilon * problem.e[i];
    }
    best.error = problem.error(problem.e) / (epsilon * epsilon);
    best.gap = windows / t / (epsilon * epsilon);
    return best;
}

} // namespace sotto::aggregator
