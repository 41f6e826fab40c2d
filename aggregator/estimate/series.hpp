// SPDX-License-Identifier: Apache-2.0
// Counters: rows of epochs, joined to sums of one epoch, of the last few, and of all so far.
#ifndef SOTTO_AGGREGATOR_ESTIMATE_SERIES_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_SERIES_HPP

#include "aggregator/estimate/remark.hpp"
#include "aggregator/estimate/rows.hpp"

#include <map>
#include <optional>

namespace sotto::aggregator {

// The sums to make beside those of each epoch and of all so far.
struct series_request {
    std::optional<std::uint32_t> window; // epochs
    std::optional<double> decay; // the share of an event's worth that is left an epoch later
    bool smoothed = false;       // also by rows that closed later
    std::uint64_t coalition = 0; // as in decode_options
};

// All reports of a counter, by epoch.
using series_tallies = std::map<std::uint32_t, level_tally>;

// Rows by epoch. Each is of what was known at its end, so that it stays; smoothed ones say so.
// A sum of several epochs has the mean of a device in each. Devices that restart have fewer long
// rows: these count with the spread that there is between devices.
std::vector<estimate_row> estimate_series(const metric &m, const series_tallies &tallies,
                                          const series_request &request, const said_of &say);

} // namespace sotto::aggregator
#endif
