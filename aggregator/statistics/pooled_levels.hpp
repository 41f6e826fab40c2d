// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_POOLED_LEVELS_HPP
#define SOTTO_AGGREGATOR_STATISTICS_POOLED_LEVELS_HPP

#include "aggregator/statistics/estimated.hpp"

#include <span>
#include <vector>

namespace sotto::aggregator {

// How often a device reports, on average, by their number: reports, and those of them with the same
// permanent bits (repeated_reports, rappor.hpp).
struct reports_again {
    double of_a_device = 1, of_a_value = 1;
};

// A share or a mean by one level: without bias, and with this variance given the data.
struct level_reading {
    double reports = 0, value = 0, noise = 0;
};

// Several levels as one.
struct pooled_levels {
    // The sum of w_g value_g. For n releases, spread over the levels at random, the variance is:
    //   sum of w_g^2 noise_g + S (sum of w_g^2 / n_g - 1 / n)
    double value = 0, variance = 0;
    // By how much it is above what adding levels up gives, in standard errors of the difference.
    double apart = 0;
};

// One weight a reading. `spread` is S, of all reports of a device.
pooled_levels pool_levels(std::span<const level_reading> levels, std::span<const double> weights,
                          double spread);

// Whether pooling many values is off by more than chance would have it. The limit is so high that
// one in a thousand metrics is beyond it whose levels have nothing to do with their values. Such
// levels have to be added up, which is right whatever decided the level (bit_channel.hpp), as long
// as the noise did not. A smaller difference stays unseen: it can be three standard errors of the
// difference.
bool levels_differ(std::span<const double> apart);

} // namespace sotto::aggregator
#endif
