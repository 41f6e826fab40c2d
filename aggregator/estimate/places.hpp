// SPDX-License-Identifier: Apache-2.0
// Points counted by place: rows joined to bins and to ranges of them, or squares joined to boxes.
#ifndef SOTTO_AGGREGATOR_ESTIMATE_PLACES_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_PLACES_HPP

#include "aggregator/estimate/rows.hpp"

#include <span>
#include <utility>
#include <vector>

namespace sotto::aggregator {

// A row's value, the mean of a report and the total of all.
struct place_count {
    row_value value;
    estimated mean, total;
    bool is_cut = false; // a box that squares don't add up to
};

// The counts of each bin, or of each square of a location's first grid; where ranges or boxes are
// asked for, of these instead. One that the metric does not have has no row. Errors: usage_error
// where the rows of the registry don't tell bins apart.
std::vector<place_count> estimate_places(const metric &m, const level_tally &tally,
                                         std::span<const place_range> ranges,
                                         std::span<const cell_box> boxes = {});

// Errors: usage_error, when no metric has all of these bins, or cells.
void check_ranges(const std::vector<const metric *> &metrics,
                  const std::vector<place_range> &ranges);
void check_boxes(const std::vector<const metric *> &metrics, const std::vector<cell_box> &boxes);

} // namespace sotto::aggregator
#endif
