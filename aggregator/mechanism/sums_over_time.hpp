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
    std::vector<std::uint16_t> weights; // a unit adds this, by the epochs left; none: 1

    bool operator==(const row_class &) const = default;

    std::uint32_t span() const { return step * rows; }
    // All that a unit adds to rows of the class.
    std::uint64_t total() const;
    // A row whose every epoch has one unit.
    std::uint64_t of_units() const;
    // The weights of an event in rows that close `age` epochs later at most, in the worst phase.
    std::uint64_t total_by(std::uint32_t age) const;
};

// A counter's rows. It publishes those that close, or one running total.
struct sums_over_time {
    std::string strategy;
    std::uint32_t event = 1;        // units that one adds at most
    std::vector<row_class> classes; // rows that close together are published in this order
    std::uint32_t block = 0; // epochs until a running total begins anew; 0: it publishes rows
    std::optional<std::uint32_t> plausible_max; // units that a device counts in an epoch at most

    bool operator==(const sums_over_time &) const = default;

    bool is_running_total() const { return block > 0; }
    // Numbers of a release at most, and of one at the end of the epoch.
    std::size_t numbers() const { return is_running_total() ? 1 : classes.size(); }
    std::size_t closing(std::uint32_t epoch) const;
    // Noises of rows in a number that is published at the end of the epoch; on average over epochs.
    std::uint32_t noises(std::uint32_t epoch) const;
    double usual_noises() const;
    // A number of `units` units in each of its epochs, without noise.
    double of_units(std::size_t at, std::uint32_t epoch, double units) const;
    // Whether a look hides what happens in the epochs after it, too.
    bool is_pan_private() const { return strategy == "pan_private"; }
    // Whether a unit counts less the older it is.
    bool is_decayed() const { return !classes.front().weights.empty(); }
    // All that a unit adds to rows, and to those that close `age` epochs later at most. A running
    // total hides it by a row of each class, and all of these from the first epoch on.
    std::uint64_t total() const;
    std::uint64_t total_by(std::uint32_t age) const;

  private:
    // Balanced digits have a row of each level for each size of a digit.
    std::uint32_t base() const { return 2 * classes.front().rows + 1; }
};

} // namespace sotto::aggregator
#endif
