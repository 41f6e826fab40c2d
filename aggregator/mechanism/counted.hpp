// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_COUNTED_HPP
#define SOTTO_AGGREGATOR_MECHANISM_COUNTED_HPP

#include "aggregator/mechanism/mechanism.hpp"

namespace sotto::aggregator {

// Reports are counted: every estimate follows from the channel to one bit.
class counted_mechanism : public mechanism {
  public:
    std::optional<number_range> range(const metric &) const final { return std::nullopt; }
    estimated estimate(const metric &m, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t at) const final;
    double error(const metric &m, const level_law &law, const estimated &found) const final;
    double usual_variance(const metric &m, const level_law &law,
                          const reports_again &again) const final;
    double spread(const metric &m, double mean, const reports_again &again) const final;
    double reach(const metric &m, const level_law &law) const final;
    void check(const metric &m, const level_law &law, const level_tally &at, double of_a_value,
               quality_sums &sums) const final;
};

// Counts of value, member or bit `at`, by level.
std::vector<level_count> counts_at(std::span<const level_tally> levels, std::size_t at);

// Whether a count is beyond what the channel makes of all releases, or of none, by more than 7.5
// standard deviations. `more` is added to the variance.
bool is_beyond(double ones, double reports, const bit_channel &by, double more);

} // namespace sotto::aggregator
#endif
