// SPDX-License-Identifier: Apache-2.0
// Sums of events over rows of epochs (docs/STREAMS.md), as metrics.json says them.
#ifndef SOTTO_AGGREGATOR_MECHANISM_SUMS_OVER_TIME_HPP
#define SOTTO_AGGREGATOR_MECHANISM_SUMS_OVER_TIME_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// Rows of one kind: one opens every `step` epochs and closes rows * step later.
struct row_class {
    std::uint32_t step = 1, rows = 1;
    std::vector<std::uint16_t> weights; // what a unit adds, by the epochs left; none: 1

    bool operator==(const row_class &) const = default;

    std::uint32_t span() const { return step * rows; }
    // All that a unit adds to rows of the class.
    std::uint64_t total() const;
    // The same, to rows that close `age` epochs later at most, in the worst phase.
    std::uint64_t total_by(std::uint32_t age) const;
};

// A counter's rows.
struct sums_over_time {
    std::string strategy;
    std::uint32_t event = 1;                    // units that one adds at most
    std::vector<row_class> classes;             // those that close together are published so
    std::optional<std::uint32_t> plausible_max; // units that a device counts in an epoch at most

    bool operator==(const sums_over_time &) const = default;

    // How many classes, from the first on, have a row that closes at the end of the epoch.
    std::size_t closing(std::uint32_t epoch) const;
    // Whether a unit counts less the older it is.
    bool is_decayed() const { return !classes.front().weights.empty(); }
    // All that a unit adds to rows, and to those that close `age` epochs later at most.
    std::uint64_t total() const;
    std::uint64_t total_by(std::uint32_t age) const;
};

} // namespace sotto::aggregator
#endif
