// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_TALLY_HPP
#define SOTTO_AGGREGATOR_TALLY_TALLY_HPP

#include "aggregator/mechanism/metric.hpp"
#include "aggregator/statistics/level_tally.hpp"

#include <compare>
#include <map>
#include <span>

namespace sotto::aggregator {

// A release before and after it was relaxed because of its own value.
struct selected_release {
    std::uint32_t low_level = 0, low_value = 0, level = 0, value = 0; // values are indices
    auto operator<=>(const selected_release &) const = default;
};

// All that is counted of one metric and epoch.
struct epoch_tally {
    metric_tally highest; // every release once, at the highest level it was published at. Flagged
                          // ones count at the first that is: from there on one selection hides the
                          // next
    metric_tally lower;   // at the levels below that it was published at, too
    // Releases in `highest` flagged as relaxed by their own value (report_flags);
    // booleans and categories.
    std::map<selected_release, std::uint64_t> selected;
    // Flagged releases whose value below never came: counted nowhere else, as they alone would lean
    // to what was selected.
    std::uint64_t unexplained = 0;
};

// All zero, as large as the metric needs: one a level, forward ones too.
metric_tally empty_tally(const metric &m);

// Counts one release. Its value is as it is stored: an index or number in big-endian, numbers one
// behind the other, bits as they crossed the wire. Where numbers may be fewer `cohort` says how
// many are missing. False when the metric can't have it: a level, cohort, index, number or length
// that is not its own.
bool count_release(metric_tally &tally, const metric &m, std::uint32_t level, std::uint32_t cohort,
                   std::span<const std::uint8_t> value);

} // namespace sotto::aggregator
#endif
