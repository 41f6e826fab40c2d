// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/consistent.hpp"

#include <algorithm>
#include <numeric>

namespace sotto::aggregator {
namespace {

std::vector<double> less(std::span<const double> counts, double shift, double each) {
    std::vector<double> out;
    for (const double c : counts) {
        out.push_back(std::clamp(c - shift, 0.0, each));
    }
    return out;
}

double sum_of(const std::vector<double> &v) { return std::accumulate(v.begin(), v.end(), 0.0); }

} // namespace

std::vector<double> consistent_counts(std::span<const double> counts, double each, double sum,
                                      bool may_be_less) {
    if (counts.empty()) {
        return {};
    }
    if (std::vector<double> out = less(counts, 0, each); may_be_less && sum_of(out) <= sum) {
        return out;
    }
    // The sum falls as the shift rises: from all at `each` to all at 0.
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    double low = *least - each, high = *most;
    for (int i = 0; i < 200 && low < high; ++i) {
        const double middle = low + (high - low) / 2;
        (sum_of(less(counts, middle, each)) > sum ? low : high) = middle;
    }
    return less(counts, high, each);
}

} // namespace sotto::aggregator
