// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/window_response.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace sotto::aggregator {
namespace {

constexpr double least_gain = 0.005; // a step's, in logarithmic likelihood
constexpr int steps_of_a_look = 8;   // the likelihood takes longer than a step
constexpr int steps_max = 20'000;
constexpr int bootstrap_draws = 60;

double squared(double x) { return x * x; }

// Moments of a number that is even on 0 ... n - 1.
double even_variance(std::size_t n) { return (squared(static_cast<double>(n)) - 1) / 12; }

double middle_of(std::size_t n) { return (static_cast<double>(n) - 1) / 2; }

// P(answer), by answer.
std::vector<double> answers_of(const window_channel &by, std::span<const double> shares) {
    std::vector<double> chances(by.size());
    const double each = by.keep / static_cast<double>(by.width());
    double within = 0; // the share of bins whose window has the answer
    for (std::size_t y = 0; y < chances.size(); ++y) {
        within += y < by.bins ? shares[y] : 0;
        within -= y >= by.width() ? shares[y - by.width()] : 0;
        chances[y] = each * std::max(0.0, within) + by.outside();
    }
    return chances;
}

// Steps of expectation and maximization; a step takes time in proportion to the answers, as windows
// are differences of running sums.
class maximization {
  public:
    explicit maximization(const window_counts &seen)
        : by_(seen.channel), counts_(seen.counts.begin(), seen.counts.end()),
          reports_(seen.reports()), shares_(by_.bins, 1 / static_cast<double>(by_.bins)),
          running_(by_.size() + 1) {}

    std::vector<double> run() {
        double before = -HUGE_VAL;
        for (int i = 0; i < steps_max; ++i) {
            const std::vector<double> chances = answers_of(by_, shares_);
            if (i % steps_of_a_look == 0) {
                const double now = likelihood(chances);
                if (now - before < least_gain * steps_of_a_look) {
                    break;
                }
                before = now;
            }
            step(chances);
        }
        return shares_;
    }

  private:
    double likelihood(const std::vector<double> &chances) const {
        double sum = 0;
        for (std::size_t y = 0; y < counts_.size(); ++y) {
            sum += counts_[y] * std::log(chances[y]);
        }
        return sum;
    }
    void step(const std::vector<double> &chances) {
        for (std::size_t y = 0; y < counts_.size(); ++y) {
            running_[y + 1] = running_[y] + counts_[y] / chances[y];
        }
        const double each = by_.keep / static_cast<double>(by_.width());
        const double everywhere = by_.outside() * running_.back();
        for (std::size_t x = 0; x < by_.bins; ++x) {
            const double within = running_[x + by_.width()] - running_[x];
            shares_[x] *= (each * within + everywhere) / reports_;
        }
    }

    window_channel by_;
    std::vector<double> counts_;
    double reports_;
    std::vector<double> shares_, running_;
};

// So many reports of this law.
std::vector<std::uint64_t> drawn(const std::vector<double> &chances, double reports,
                                 std::mt19937_64 &random) {
    std::vector<std::uint64_t> counts(chances.size());
    auto left = static_cast<std::int64_t>(reports);
    double rest = 1;
    for (std::size_t y = 0; y + 1 < chances.size() && left > 0; ++y) {
        const double p = std::clamp(chances[y] / rest, 0.0, 1.0);
        const std::int64_t here = std::binomial_distribution<std::int64_t>(left, p)(random);
        counts[y] = static_cast<std::uint64_t>(here);
        left -= here;
        rest = std::max(rest - chances[y], 1e-300);
    }
    counts.back() += static_cast<std::uint64_t>(left);
    return counts;
}

// By level.
using level_shares = std::vector<std::vector<double>>;

double all_reports(std::span<const window_counts> levels) {
    return std::accumulate(levels.begin(), levels.end(), 0.0,
                           [](double sum, const auto &level) { return sum + level.reports(); });
}

// All levels as one: their shares, and then the quantiles.
std::vector<double> numbers_of(std::span<const window_counts> levels, const level_shares &each,
                               std::span<const double> parts) {
    std::vector<double> numbers(levels.front().channel.bins);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const double part = levels[i].reports() / all_reports(levels);
        for (std::size_t x = 0; x < numbers.size(); ++x) {
            numbers[x] += part * each[i][x];
        }
    }
    const std::vector<double> shares = numbers;
    for (const double part : parts) {
        numbers.push_back(quantile_of(shares, part));
    }
    return numbers;
}

level_shares drawn_again(std::span<const window_counts> levels, const level_shares &fitted,
                         std::mt19937_64 &random) {
    level_shares out;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const window_channel &by = levels[i].channel;
        const std::vector<std::uint64_t> counts =
            drawn(answers_of(by, fitted[i]), levels[i].reports(), random);
        out.push_back(most_likely_shares({by, counts}));
    }
    return out;
}

} // namespace

double window_channel::variance(double squared_distance) const {
    return keep * even_variance(width()) + (1 - keep) * even_variance(size()) +
           keep * (1 - keep) * squared_distance;
}

double window_counts::reports() const {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
}

// Answers and bins have the same middle, seen from there.
estimated estimate_window_mean(const window_counts &seen) {
    const window_channel &by = seen.channel;
    const double n = seen.reports();
    double sum = 0, squares = 0;
    for (std::size_t y = 0; y < by.size(); ++y) {
        const double away = static_cast<double>(y) - middle_of(by.size());
        sum += static_cast<double>(seen.counts[y]) * away;
        squares += static_cast<double>(seen.counts[y]) * squared(away);
    }
    const double noise =
        by.keep * even_variance(by.width()) + (1 - by.keep) * even_variance(by.size());
    const double spread =
        std::clamp((squares / n - noise) / by.keep, 0.0, squared(middle_of(by.bins)));
    estimated out;
    out.value = sum / n / by.keep + middle_of(by.bins);
    out.std_error = std::sqrt(by.variance(spread) / n) / by.keep;
    out.reports = static_cast<std::uint64_t>(n);
    return out;
}

estimated pooled_window_mean(std::span<const window_counts> levels) {
    estimated out;
    double sum = 0, variance = 0;
    for (const window_counts &level : levels) {
        const estimated at = estimate_window_mean(level);
        const auto n = static_cast<double>(at.reports);
        sum += n * at.value;
        variance += n * n * at.std_error * at.std_error;
        out.reports += at.reports;
    }
    const auto n = static_cast<double>(out.reports);
    out.value = sum / n;
    out.std_error = std::sqrt(variance) / n;
    return out;
}

// Answers that stand for themselves need no steps.
std::vector<double> most_likely_shares(const window_counts &seen) {
    if (seen.channel.keep < 1 || seen.channel.half > 0) {
        return maximization(seen).run();
    }
    std::vector<double> shares(seen.counts.begin(), seen.counts.end());
    for (double &share : shares) {
        share /= seen.reports();
    }
    return shares;
}

double quantile_of(std::span<const double> shares, double part) {
    double below = 0;
    for (std::size_t x = 0; x < shares.size(); ++x) {
        if (below + shares[x] >= part) {
            return static_cast<double>(x) + (shares[x] > 0 ? (part - below) / shares[x] : 0);
        }
        below += shares[x];
    }
    return static_cast<double>(shares.size());
}

distribution_fit fit_distribution(std::span<const window_counts> levels,
                                  std::span<const double> parts) {
    level_shares fitted;
    for (const window_counts &level : levels) {
        fitted.push_back(most_likely_shares(level));
    }
    const std::vector<double> found = numbers_of(levels, fitted, parts);
    std::vector<double> errors(found.size());
    std::mt19937_64 random(1);
    for (int draw = 0; draw < bootstrap_draws; ++draw) {
        const level_shares again = drawn_again(levels, fitted, random);
        const std::vector<double> other = numbers_of(levels, again, parts);
        for (std::size_t i = 0; i < found.size(); ++i) {
            errors[i] += squared(other[i] - found[i]) / bootstrap_draws;
        }
    }
    for (double &error : errors) {
        error = std::sqrt(error);
    }
    const auto bins = static_cast<std::ptrdiff_t>(levels.front().channel.bins);
    return {{found.begin(), found.begin() + bins},
            {errors.begin(), errors.begin() + bins},
            {found.begin() + bins, found.end()},
            {errors.begin() + bins, errors.end()}};
}

} // namespace sotto::aggregator
