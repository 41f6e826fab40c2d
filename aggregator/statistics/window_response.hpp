// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_WINDOW_RESPONSE_HPP
#define SOTTO_AGGREGATOR_STATISTICS_WINDOW_RESPONSE_HPP

#include "aggregator/statistics/distribution_fit.hpp"
#include "aggregator/statistics/estimated.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Window response to one of D bins: bin x becomes any of x ... x + 2 half with probability `keep`,
// otherwise any of the N = D + 2 half. Chances are off from that by less than 2^-64, which is left
// alone (as in k_randomized_response.hpp).
struct window_channel {
    std::size_t bins = 0, half = 0;
    double keep = 0;

    std::size_t width() const { return 2 * half + 1; }
    std::size_t size() const { return bins + 2 * half; }
    // Chances of one answer: outside of the window and inside.
    double outside() const { return (1 - keep) / static_cast<double>(size()); }
    double inside() const { return keep / static_cast<double>(width()) + outside(); }

    // Spread of the answer to a bin that is so far from the middle of all, squared.
    double variance(double squared_distance) const;
};

// Reports of one level by their answer.
struct window_counts {
    window_channel channel;
    std::span<const std::uint64_t> counts; // channel.size() of them

    double reports() const;
};

// The mean bin, from 0 on, of fixed data. With y the mean answer it is
//   (y - half - (1 - keep) (D - 1) / 2) / keep,
// without bias. Its error has the answers' own spread in place of that of the bins.
estimated estimate_window_mean(const window_counts &seen);

// The mean of all levels' reports, one at least.
estimated pooled_window_mean(std::span<const window_counts> levels);

// The shares of the bins that make the answers most likely, by expectation and maximization
// (Dempster, Laird, Rubin 1977), from equal shares on. The best fit of all is spiky: it follows the
// noise. So the steps end when one of them gains less than 1/200 in logarithmic likelihood. Noise
// alone gains 1/2 by any one bin, however many reports there are. Sharp peaks come out a little
// flat then.
std::vector<double> most_likely_shares(const window_counts &seen);

// The place that a share `part` of all is below, from 0 to the number of bins; within a bin all
// places are as likely.
double quantile_of(std::span<const double> shares, double part);

// Each level is fitted alone, and counts for its reports: right whatever decided the level. The
// errors are those of a parametric bootstrap: reports are drawn of the fit 60 times, and fitted as
// these were. An error is the root of the mean square distance from the fit, so that it has what
// stopping early takes from a peak, too. The same counts have the same errors.
distribution_fit fit_distribution(std::span<const window_counts> levels,
                                  std::span<const double> parts);

} // namespace sotto::aggregator
#endif
