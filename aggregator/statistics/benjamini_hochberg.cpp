// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/benjamini_hochberg.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace sotto::aggregator {
namespace {

double count_asked(std::span<const double> p_values) {
    return static_cast<double>(
        std::count_if(p_values.begin(), p_values.end(), [](double p) { return !std::isnan(p); }));
}

} // namespace

std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double rate) {
    std::vector<double> rising;
    std::copy_if(p_values.begin(), p_values.end(), std::back_inserter(rising),
                 [](double p) { return !std::isnan(p); });
    std::sort(rising.begin(), rising.end());
    double highest = -1; // the highest detected p-value
    for (std::size_t i = 0; i < rising.size(); ++i) {
        if (rising[i] <= rate * static_cast<double>(i + 1) / static_cast<double>(rising.size())) {
            highest = rising[i];
        }
    }
    std::vector<bool> detected;
    for (const double p : p_values) {
        detected.push_back(p <= highest);
    }
    return detected;
}

std::vector<bool> bonferroni(std::span<const double> p_values, double rate) {
    const double asked = count_asked(p_values);
    std::vector<bool> detected;
    for (const double p : p_values) {
        detected.push_back(p <= rate / asked);
    }
    return detected;
}

std::vector<bool> detect(std::span<const double> p_values, double rate, correction by) {
    return by == correction::bonferroni ? bonferroni(p_values, rate)
                                        : benjamini_hochberg(p_values, rate);
}

double detection_level(std::span<const double> p_values, const std::vector<bool> &detected,
                       double rate, correction by) {
    const auto found =
        by == correction::bonferroni ? 1 : std::count(detected.begin(), detected.end(), true);
    return rate * static_cast<double>(found) / count_asked(p_values);
}

double normal_upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

double normal_upper_point(double tail) {
    double low = 0, high = 40;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (normal_upper_tail(middle) > tail ? low : high) = middle;
    }
    return low;
}

double skew_upper_tail(double z, double skewness) {
    if (std::isnan(z) || skewness <= 0) {
        return normal_upper_tail(z);
    }
    const double root = 2 / skewness;                                              // sqrt(shape)
    const double cube_root = std::expm1(std::log1p(std::max(-1.0, z / root)) / 3); // less 1
    return normal_upper_tail(3 * root * cube_root + 1 / (3 * root));
}

double t_upper_tail(double t, double freedom) {
    if (std::isnan(t)) {
        return t; // as of the normal law: nothing is thrown
    }
    return boost::math::cdf(complement(boost::math::students_t(freedom), t));
}

double t_upper_point(double tail, double freedom) {
    return boost::math::quantile(complement(boost::math::students_t(freedom), tail));
}

} // namespace sotto::aggregator
