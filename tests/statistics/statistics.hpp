// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TESTS_STATISTICS_HPP
#define SOTTO_TESTS_STATISTICS_HPP

#include <cmath>
#include <cstddef>
#include <vector>

// Everything is brought to a standard normal number. P(|Z| > 7.5) = 6.4e-14: ten thousand checks
// stay below 1e-9 together. Seeds are fixed, so that the outcome repeats all the same.
constexpr double z_limit = 7.5;

inline double rate_z(double ones, double n, double p) {
    return (ones - n * p) / std::sqrt(n * p * (1 - p));
}

// Correlation of a[i] with b[i + lag], bits with known means.
inline double correlation_z(const std::vector<int> &a, const std::vector<int> &b, size_t lag,
                            double pa, double pb) {
    const size_t n = a.size() - lag;
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        sum += (a[i] - pa) * (b[i + lag] - pb);
    }
    return sum / std::sqrt(static_cast<double>(n) * pa * (1 - pa) * pb * (1 - pb));
}

// The chi-square statistic of counts against expected counts, as a standard normal number (Wilson
// and Hilferty 1931). Cells that expect less than 20 are put together.
inline double chi_square_z(const std::vector<double> &observed,
                           const std::vector<double> &expected) {
    double sum = 0, small_observed = 0, small_expected = 0;
    int cells = 0;
    const auto add = [&](double o, double e) {
        sum += (o - e) * (o - e) / e;
        ++cells;
    };
    for (size_t i = 0; i < observed.size(); ++i) {
        if (expected[i] < 20) {
            small_observed += observed[i];
            small_expected += expected[i];
        } else {
            add(observed[i], expected[i]);
        }
    }
    if (small_expected >= 20) {
        add(small_observed, small_expected);
    }
    const double k = cells - 1;
    return (std::cbrt(sum / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}

#endif
