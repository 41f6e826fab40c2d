// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_ESTIMATE_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_ESTIMATE_HPP

#include "aggregator/estimate/rows.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/store/store.hpp"

#include <map>
#include <string>

namespace sotto::aggregator {

// Releases of a metric by epoch. Errors: environment_error on a damaged segment.
std::map<std::uint32_t, metric_tally> tally_metric(const store &from, const metric &m,
                                                   const selection &what);

// What was found, and what has to be said beside it: a line each.
struct estimates {
    std::vector<estimate_row> rows; // by metric id, epoch and value
    std::vector<std::string> notes;
};

// Of every metric and epoch that has reports. `metric_name` empty means all; strings are looked for
// among the candidates. The rows point into `with`. Errors: usage_error naming what there is for an
// unknown metric, or for a level that no metric asked for has; environment_error.
estimates estimate(const store &from, const registry &with, const std::string &metric_name,
                   const selection &what, const std::vector<std::string> &candidates = {});

} // namespace sotto::aggregator
#endif
