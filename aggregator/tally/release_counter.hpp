// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_RELEASE_COUNTER_HPP
#define SOTTO_AGGREGATOR_TALLY_RELEASE_COUNTER_HPP

#include "aggregator/mechanism/published.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/tally/bit_counts.hpp"
#include "aggregator/tally/tally.hpp"

#include <optional>

namespace sotto::aggregator {

// Counts rows one by one, those of bits many at a time.
class row_counter {
  public:
    explicit row_counter(const metric &m);

    // False when the metric can't have the row. Rows must stay where they are until finish().
    bool count(row_view row);
    metric_tally finish();

  private:
    void drain(std::size_t level);

    const metric &metric_;
    published_values values_;
    metric_tally tally_;
    std::uint8_t unused_;
    std::vector<std::optional<bit_counts>> bits_;            // by level
    std::vector<std::vector<const std::uint8_t *>> waiting_; // by level
};

// Counts the releases of one metric and epoch. The metric must outlive it. For one thread.
class release_counter {
  public:
    explicit release_counter(const metric &m) : metric_(m), highest_(m), lower_(m) {}

    // A release, as for_each_release has it. False when the metric can't have it. Rows must stay
    // where they are until finish().
    bool count(release_levels levels);
    epoch_tally finish();

  private:
    const metric &metric_;
    row_counter highest_, lower_;
    epoch_tally tally_;
};

} // namespace sotto::aggregator
#endif
