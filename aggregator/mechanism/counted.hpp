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

  protected:
    // Reports that are a yes for value, member or bit `at`, given the counts by answer.
    virtual std::uint64_t count(const metric &, std::span<const std::uint64_t> by_answer,
                                std::size_t at) const {
        return by_answer[at];
    }
    // One answer by the channel of a yes: its chance where it is no yes for the true value, and
    // where it is one.
    virtual bit_channel answer_channel(const metric &, const bit_channel &yes) const { return yes; }
};

// Counts of value, member or bit `at`, by level.
std::vector<level_count> counts_at(std::span<const level_tally> levels, std::size_t at);

// Whether a count is beyond what the channel makes of all releases, or of none, by more than 7.5
// standard deviations. `more` is added to the variance.
bool is_beyond(double ones, double reports, const bit_channel &by, double more);

} // namespace sotto::aggregator
#endif
