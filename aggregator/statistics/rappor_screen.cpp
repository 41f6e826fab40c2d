// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/rappor_screen.hpp"

#include "aggregator/statistics/benjamini_hochberg.hpp"

#include <numeric>

namespace sotto::aggregator {
namespace {

class lasso {
  public:
    lasso(const rappor_design &design, double lambda)
        : design_(design), lambda_(lambda), shares_(design.candidates()) {
        for (const auto &cohort : design.cohorts()) {
            left_.push_back(cohort.share);
        }
        for (std::size_t k = 0; k < design.candidates(); ++k) {
            double square = 0;
            for (std::size_t c = 0; c < left_.size(); ++c) {
                square +=
                    design.cohorts()[c].weight * static_cast<double>(design.bits(c, k).size());
            }
            squares_.push_back(square);
        }
        solve();
    }

    // How far each has come in, in standard errors.
    double strength(std::size_t k) const { return shares_[k] * std::sqrt(squares_[k]); }

  private:
    void solve() {
        constexpr int most_rounds = 200;
        std::vector<std::size_t> everybody(shares_.size());
        std::iota(everybody.begin(), everybody.end(), std::size_t{0});
        for (int round = 0; round < most_rounds; ++round) {
            move_background();
            if (sweep(everybody) < small) {
                return;
            }
            std::vector<std::size_t> active;
            std::copy_if(everybody.begin(), everybody.end(), std::back_inserter(active),
                         [&](std::size_t k) { return shares_[k] > 0; });
            for (int inner = 0; inner < most_rounds; ++inner) {
                move_background();
                if (sweep(active) < small) {
                    break;
                }
            }
        }
    }

    void move_background() {
        const double d = design_.density();
        double product = 0, square = 0;
        for (std::size_t c = 0; c < left_.size(); ++c) {
            const double weight = design_.cohorts()[c].weight;
            product += weight * d * left_[c].sum();
            square += weight * d * d * static_cast<double>(left_[c].size());
        }
        const double step = std::max(-background_, product / square);
        background_ += step;
        for (auto &left : left_) {
            left.array() -= step * d;
        }
    }

    // The largest step, in standard errors.
    double sweep(const std::vector<std::size_t> &those) {
        double largest = 0;
        for (const std::size_t k : those) {
            double product = 0;
            for (std::size_t c = 0; c < left_.size(); ++c) {
                double sum = 0;
                for (const std::uint16_t j : design_.bits(c, k)) {
                    sum += left_[c][j];
                }
                product += design_.cohorts()[c].weight * sum;
            }
            const double scale = std::sqrt(squares_[k]);
            const double wanted = shares_[k] + (product - lambda_ * scale) / squares_[k];
            const double step = std::max(0.0, wanted) - shares_[k];
            if (step == 0) {
                continue;
            }
            shares_[k] += step;
            for (std::size_t c = 0; c < left_.size(); ++c) {
                for (const std::uint16_t j : design_.bits(c, k)) {
                    left_[c][j] -= step;
                }
            }
            largest = std::max(largest, std::abs(step) * scale);
        }
        return largest;
    }

    static constexpr double small = 1e-3;

    const rappor_design &design_;
    double lambda_;
    std::vector<double> shares_, squares_;
    double background_ = 0;
    std::vector<Eigen::VectorXd> left_; // by cohort: share less what is fitted
};

} // namespace

std::vector<std::size_t> screen(const rappor_design &design, std::size_t most) {
    const double candidates = static_cast<double>(design.candidates());
    const double tail = std::min(0.25, static_cast<double>(most) / 20 / candidates);
    const lasso fitted(design, normal_upper_point(tail));
    std::vector<std::size_t> in;
    for (std::size_t k = 0; k < design.candidates(); ++k) {
        if (fitted.strength(k) > 0) {
            in.push_back(k);
        }
    }
    if (in.size() > most) {
        std::stable_sort(in.begin(), in.end(), [&](std::size_t a, std::size_t b) {
            return fitted.strength(a) > fitted.strength(b);
        });
        in.resize(most);
        std::sort(in.begin(), in.end());
    }
    return in;
}

} // namespace sotto::aggregator
