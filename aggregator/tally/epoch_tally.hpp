// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_EPOCH_TALLY_HPP
#define SOTTO_AGGREGATOR_TALLY_EPOCH_TALLY_HPP

#include "aggregator/tally/tally.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sotto::aggregator {

// A tally without releases, with the metric's shape.
epoch_tally empty_epoch_tally(const metric &m);

// Counts of disjoint sets of releases, count by count. Both are of the same metric.
void add(epoch_tally &total, const epoch_tally &more);

// Whether reports of this metric can be counted so. Counts then don't contradict each other, and
// are so few that two such tallies add up without overflow.
bool is_possible(const metric &m, const epoch_tally &tally);

// How many stored rows a possible tally counts: a release at each level is one. Rows that a
// selection hides stand in none of its counts, so that there may be more.
std::uint64_t counted_rows(const epoch_tally &tally);

// As published at one level, whether or not relaxed later.
metric_tally published_at(const epoch_tally &tally, std::uint32_t level);

// The counts as bytes: the same counts give the same bytes. Zeros take none, so a tally takes about
// as much as the reports in it at most.
std::vector<std::uint8_t> tally_bytes(const epoch_tally &tally);
// Nothing when they are not those of a tally of this metric, or of one that is not possible.
std::optional<epoch_tally> read_tally(const metric &m, std::span<const std::uint8_t> bytes);

} // namespace sotto::aggregator
#endif
