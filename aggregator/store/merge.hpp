// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_MERGE_HPP
#define SOTTO_AGGREGATOR_STORE_MERGE_HPP

#include "aggregator/store/segment.hpp"

#include <functional>
#include <optional>

namespace sotto::aggregator {

// What to read; everything unless said.
struct selection {
    std::optional<std::uint32_t> epoch;
    std::optional<std::uint32_t> level; // as published there, whether or not relaxed later
};

// Calls `visit` once for each release of a metric, in order of epoch and release, with the row of
// the highest level; of conflicting rows with the least. The outcome depends on the set of rows
// only, not on how they are spread over segments. Errors: environment_error on a damaged segment.
void for_each_release(std::span<const segment> segments, const selection &what,
                      const std::function<void(row_view)> &visit);

} // namespace sotto::aggregator
#endif
