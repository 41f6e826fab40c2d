// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_QUALITY_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_QUALITY_HPP

#include "aggregator/estimate/selective_relaxation.hpp"
#include "aggregator/tally/tally.hpp"

#include <optional>

namespace sotto::aggregator {

// Whether honest devices can have sent this, whatever is true of them.
struct quality {
    // Counts of a value, member or bit by level and cohort. Impossible ones are higher than if it
    // were true of every release, or lower than if of none, by more than the noise. The limit is
    // 7.5 standard deviations, once in 10^13 counts. For numbers: the sums by level and coordinate,
    // and those beyond every release being the largest, or the least, value.
    std::uint64_t counts = 0, impossible = 0;
    // Categories as bits, one of which is true of every release: what they add up to, less the
    // releases, in standard errors.
    std::optional<double> sum_error;

    bool sum_is_impossible() const { return sum_error && (*sum_error > 7.5 || *sum_error < -7.5); }
};

// `of_a_value` as in repeated_reports (rappor.hpp).
quality check_quality(const metric &m, const metric_tally &tally, double of_a_value = 1);

// How far a coalition of so many reports in place of honest ones can have moved an estimate. It is
// in units of the estimate: a count, or a mean of a number. One report moves it by at most the
// difference between the largest and the least that it can add. (Cao, Jia, Gong, Data Poisoning
// Attacks to Local Differential Privacy Protocols, USENIX Security 2021.) At the level of those
// read where a report weighs most; of strings see candidate_estimate::reach.
double coalition_shift(const metric &m, const metric_tally &tally, std::uint64_t coalition);
// Where releases were selected, one report moves the estimate twice. It adds to the estimate, and
// it makes it look as if more, or fewer, of its kind had been selected.
double coalition_shift(const selective_estimate &found, std::uint64_t coalition);

} // namespace sotto::aggregator
#endif
