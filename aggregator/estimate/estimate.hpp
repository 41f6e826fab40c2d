// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_ESTIMATE_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_ESTIMATE_HPP

#include "aggregator/estimate/randomized_response.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/store/store.hpp"

#include <map>
#include <string>

namespace sotto::aggregator {

// Releases of a metric by epoch, then by level.
using tally = std::map<std::uint32_t, std::vector<level_count>>;

// Errors: environment_error on a damaged segment.
tally tally_metric(const store &from, const metric &m, const selection &what);

struct estimate_row {
    const metric *of = nullptr;
    std::uint32_t epoch = 0;
    std::optional<std::uint32_t> level; // nothing: all levels in one
    double epsilon = 0;                 // realised, of the highest level that was read
    bool mixed = false;                 // several levels were read
    estimated result;
};

// One row for each metric and epoch that has reports, by metric id and epoch. `metric_name` empty
// means all. The rows point into `with`. Errors: usage_error naming what there is for an unknown
// metric, or for a level that no metric asked for has; environment_error.
std::vector<estimate_row> estimate(const store &from, const registry &with,
                                   const std::string &metric_name, const selection &what);

} // namespace sotto::aggregator
#endif
