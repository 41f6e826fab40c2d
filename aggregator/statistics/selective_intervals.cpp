// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/selective_intervals.hpp"

#include "aggregator/statistics/benjamini_hochberg.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

constexpr double one_side = 0.025;

// One error as the pointwise interval has it, where its law is not the normal one.
double error_of(const estimated &r) { return r.std_error * r.errors_wide / normal_95; }

// By rank, from 0 on.
double simultaneous(std::size_t rank, std::size_t questions) {
    const double wrong = static_cast<double>(std::max<std::size_t>(1, rank));
    return normal_upper_point(one_side * wrong / static_cast<double>(questions));
}

// For an estimate so many errors above the point that it had to pass.
double conditional(double above) {
    double low = normal_95, high = 30;
    for (int i = 0; i < 50 && above < high; ++i) {
        const double middle = (low + high) / 2;
        const double share = normal_upper_tail(middle) / normal_upper_tail(middle - above);
        (share > one_side ? low : high) = middle;
    }
    return low;
}

// Half of it, in errors.
double half_interval(const compared_estimate &chosen, const compared_estimate *next,
                     double by_rank) {
    const estimated &r = *chosen.result;
    const double error = error_of(r);
    double half = normal_95;
    if (next != nullptr) {
        half = std::min(by_rank, conditional((r.value - next->result->value) / error));
    }
    if (chosen.detected_from) {
        const double above = r.value / error - *chosen.detected_from * r.std_error / error;
        half = std::max(half, conditional(std::max(0.0, above)));
    }
    constexpr double rounding = 1 + 1e-12; // so that `least` itself is within
    return std::max(normal_95, std::min(half, (r.value - chosen.least) / error * rounding));
}

} // namespace

void allow_for_selection(std::vector<compared_estimate> estimates, std::size_t questions) {
    std::stable_sort(estimates.begin(), estimates.end(), [](const auto &a, const auto &b) {
        return a.result->value > b.result->value;
    });
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        if (estimates[i].result->std_error > 0) {
            const compared_estimate *next = i + 1 < estimates.size() ? &estimates[i + 1] : nullptr;
            estimates[i].result->widening =
                half_interval(estimates[i], next, simultaneous(i, questions)) / normal_95;
        }
    }
}

} // namespace sotto::aggregator
