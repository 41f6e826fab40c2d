// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_TALLY_HPP
#define SOTTO_AGGREGATOR_TALLY_TALLY_HPP

#include "aggregator/registry/registry.hpp"

#include <compare>
#include <map>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Published numbers of one level: how many, their sum, and how many stand at either end of what can
// be published.
struct number_count {
    std::uint64_t reports = 0;
    std::int64_t sum = 0;
    std::uint64_t at_min = 0;
    std::uint64_t at_max = 0;

    void add(std::int32_t number, std::int32_t publish_min, std::int32_t publish_max) {
        ++reports;
        sum += number;
        at_min += number == publish_min ? 1 : 0;
        at_max += number == publish_max ? 1 : 0;
    }
};

// All that any estimator needs of the releases that were read at one level. Members of other kinds
// of values stay empty.
struct level_tally {
    std::uint64_t reports = 0;
    std::vector<std::uint64_t> ones;    // index: by index; bits: by cohort, then by bit
    std::vector<std::uint64_t> cohorts; // bits: reports by cohort
    std::vector<number_count> numbers;  // by coordinate; a number is one
};

// By level. Tallies of the same metric add up, level by level and count by count.
using metric_tally = std::vector<level_tally>;

// A release before and after it was relaxed because of its own value.
struct selected_release {
    std::uint32_t low_level = 0, low_value = 0, level = 0, value = 0; // values are indices
    auto operator<=>(const selected_release &) const = default;
};

// All that is counted of one metric and epoch.
struct epoch_tally {
    metric_tally highest; // every release once, at the highest level it was published at; flagged
                          // ones at the first that is: from there on one selection hides the next
    metric_tally lower;   // at the levels below that it was published at, too
    // Releases in `highest` that are flagged as relaxed by their own value (report_flags); booleans
    // and categories.
    std::map<selected_release, std::uint64_t> selected;
    // Flagged releases whose value below never came: counted nowhere else, as they alone would lean
    // to what was selected.
    std::uint64_t unexplained = 0;
};

// A tally without releases, with the metric's shape.
metric_tally empty_tally(const metric &m);

// Counts one release: its value as it is stored, so an index or number in big-endian, numbers one
// behind the other, bits as they crossed the wire. False when the metric can't have it: a level,
// cohort, index, number or length that is not its own.
bool count_release(metric_tally &tally, const metric &m, std::uint32_t level, std::uint32_t cohort,
                   std::span<const std::uint8_t> value);

} // namespace sotto::aggregator
#endif
