// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_COUNT_HPP
#define SOTTO_AGGREGATOR_TALLY_COUNT_HPP

#include "aggregator/store/merge.hpp"
#include "aggregator/store/store.hpp"
#include "aggregator/tally/epoch_tally.hpp"

namespace sotto::aggregator {

// Counts the releases of one metric and epoch in one partition of the hashes. The counts are a pure
// function of the rows, whose checksums should have been verified. Partitions add up to the whole.
// Errors: environment_error on a row that the metric can't have.
epoch_tally count_epoch(std::span<const segment> segments, const metric &m, std::uint32_t epoch,
                        const partition &part = {});

// The whole of it, by as many threads as there are cores when there are many rows.
epoch_tally count_epoch(std::span<const segment> segments, const metric &m,
                        const epoch_record &what);

// Its reports may be gone: its tally is all that is left of it.
bool is_expired(ledger &book, std::uint32_t epoch);

// Whether the tally is of these very rows, as far as it says.
bool is_of(ledger &book, const tally_record &tally, const epoch_record &rows);

// The store's tally of these very rows. Nothing when its rows are others, or it is damaged or not
// possible.
std::optional<epoch_tally> stored_tally(ledger &book, const metric &m, const epoch_record &epoch);

// Every epoch of a metric, counted or, where the store has a tally of the very same rows, read from
// there. The store's segments are verified before they are counted. Errors: environment_error.
class metric_epochs {
  public:
    metric_epochs(const store &from, const metric &m);

    std::span<const epoch_record> epochs() const { return epochs_; }
    // The store's where it is sound, else counted. `epoch` is one of epochs().
    epoch_tally tally(const epoch_record &epoch);
    // Whatever tally the store has, where it still has the rows.
    epoch_tally count_again(const epoch_record &epoch);

  private:
    const store &from_;
    const metric &metric_;
    std::vector<epoch_record> epochs_;
    std::optional<std::vector<segment>> segments_; // once something has to be counted
};

} // namespace sotto::aggregator
#endif
