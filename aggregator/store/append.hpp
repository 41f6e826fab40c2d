// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_APPEND_HPP
#define SOTTO_AGGREGATOR_STORE_APPEND_HPP

#include "aggregator/store/row_list.hpp"
#include "aggregator/store/store.hpp"

#include <span>
#include <vector>

namespace sotto::aggregator {

// Counts of rows.
struct append_result {
    std::uint64_t added = 0;      // published once and for the first time
    std::uint64_t duplicates = 0; // the same bytes again: dropped
    std::uint64_t conflicts = 0; // other bytes under a known release and level: kept, see merge.hpp
    std::uint64_t late = 0;      // new, of an epoch that is closed: dropped
};

// The rows of one metric.
struct new_rows {
    const metric *subject;
    const row_list *rows;
};

// Adds the rows of each metric that the store does not have, in one new segment a metric. Durable
// when it returns, all or none. The sums don't depend on the order in which rows come, be it within
// one call or over several. Errors: environment_error, and nothing is added.
std::vector<append_result> append(const store &target, std::span<const new_rows> batch);
append_result append(const store &target, const metric &m, const row_list &rows);

} // namespace sotto::aggregator
#endif
