// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_COUNTED_EPOCHS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_COUNTED_EPOCHS_HPP

#include "aggregator/estimate/selective_relaxation.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/store/store.hpp"
#include "aggregator/tally/count.hpp"

#include <optional>
#include <vector>

namespace sotto::aggregator {

// The selected releases of one epoch.
struct counted_epoch {
    metric_tally tally;
    std::vector<selected_count> selected; // the epoch's selected releases
};

// Releases of a metric, one epoch after the other: nobody knows how many epochs reports name, so
// not all are held at once. Errors: environment_error on a damaged segment.
class counted_epochs {
  public:
    counted_epochs(const store &from, const metric &m, const selection &what);
    counted_epochs(counted_epochs &&) = default;

    // All that the store has of the metric, rising, or the one that was selected.
    std::span<const epoch_record> epochs() const { return epochs_; }
    // Nothing when no release of it was selected.
    std::optional<counted_epoch> read(const epoch_record &record);
    std::optional<counted_epoch> read(std::uint32_t epoch);
    // Over all that was read; they are in no counted_epoch (epoch_tally).
    std::uint64_t unexplained() const { return unexplained_; }

  private:
    metric_epochs epochs_of_metric_;
    selection what_;
    std::span<const epoch_record> epochs_; // a part of all_
    std::uint64_t unexplained_ = 0;
};

// Epochs in one, and how many reports there are on average of the same device with the same value.
// A device makes one release of a metric in an epoch. The number is largest if every device of a
// smaller epoch is one of a larger, and is taken to be that. It is the sum of min(n_e, n_f) over
// all pairs of epochs by the sum of n_e.
struct pooled_epochs {
    metric_tally tally;
    double of_a_value = 1;
};
// Adds epochs up to one. For one thread.
class epoch_pool {
  public:
    void add(const metric_tally &epoch);
    pooled_epochs finish();

  private:
    metric_tally sum_;
    std::vector<double> reports_; // by epoch
};

} // namespace sotto::aggregator
#endif
