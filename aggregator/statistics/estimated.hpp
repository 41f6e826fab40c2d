// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_ESTIMATED_HPP
#define SOTTO_AGGREGATOR_STATISTICS_ESTIMATED_HPP

#include <cmath>
#include <cstdint>

namespace sotto::aggregator {

// How many releases were read at one level, and how many of them said yes to one question: true, a
// category, a member, a bit.
struct level_count {
    std::uint64_t reports = 0;
    std::uint64_t ones = 0;
};

// Half of a 95 % interval, in standard errors.
inline constexpr double normal_95 = 1.959963984540054;

// An estimate about the data that the reports were made from, whatever those are: the standard
// error is that of the noise alone. Nothing is clipped, so a count may leave [0, reports] and a
// mean its range.
struct estimated {
    double value = 0; // unbiased
    double std_error = 0;
    std::uint64_t reports = 0;
    double errors_wide = normal_95; // half of the pointwise 95 % interval, in standard errors
    double widening = 1; // a value's that is picked for its size (selective_intervals.hpp)

    // An interval that ends at 0 does so, whatever rounding leaves.
    double ci_low() const {
        const double low = value - half_width();
        return std::abs(low) < 1e-11 * half_width() ? 0 : low;
    }
    double ci_high() const { return value + half_width(); }
    double half_width() const { return widening * pointwise_half_width(); }
    double pointwise_half_width() const { return errors_wide * std_error; }
};

} // namespace sotto::aggregator
#endif
