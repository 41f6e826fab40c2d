// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_ESTIMATE_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_ESTIMATE_HPP

#include "aggregator/estimate/rows.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/store/store.hpp"
#include "aggregator/tally/count.hpp"

#include <optional>
#include <string>

namespace sotto::aggregator {

struct counted_epoch {
    metric_tally tally;
    std::vector<selected_count> selected; // of the releases in it
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
    std::optional<counted_epoch> read(const epoch_record &one);
    std::optional<counted_epoch> read(std::uint32_t epoch);
    // Of all that was read; they are in no counted_epoch (epoch_tally).
    std::uint64_t unexplained() const { return unexplained_; }

  private:
    metric_epochs all_;
    selection what_;
    std::span<const epoch_record> epochs_; // of all_
    std::uint64_t unexplained_ = 0;
};

// Reports of strings that there is no row of, as none of the texts that were looked for is in them.
struct unanswered {
    const metric *of = nullptr;
    std::optional<std::uint32_t> epoch; // nothing: all epochs in one
    std::uint64_t reports = 0;
    std::uint32_t level = 0;      // the highest that was read
    std::uint64_t candidates = 0; // that were looked for
    std::string why;
};

// What was found, and what has to be said beside it: a line each.
struct estimates {
    std::vector<estimate_row> rows; // by metric id, epoch and value
    std::vector<std::string> notes;
    std::vector<unanswered> without_rows = {};
    std::vector<const metric *> without_reports = {}; // of those that were asked for
};

// What to estimate, of what, and how.
struct estimate_request {
    std::string metric; // empty: all
    selection what;
    decode_options decode;   // of_a_value is for estimate() to say
    bool all_epochs = false; // in one
    // Instead of candidates: metrics of ever longer prefixes (discover.hpp) of texts in these
    // characters. Rows are then those of the last one that are detected.
    std::vector<std::string> discover;
    std::string alphabet;
};

// Of every metric and epoch that has reports. The rows point into `with`. Errors: usage_error
// naming what there is for an unknown metric, or for a level that no metric asked for has;
// environment_error.
estimates estimate(const store &from, const registry &with, const estimate_request &request);

// Epochs in one, and how many reports there are on average of the same device with the same
// value: a device makes one release of a metric in an epoch, so at most, and if every device of a
// smaller epoch is one of a larger, the sum of min(n_e, n_f) over all pairs of epochs by the sum of
// n_e.
struct pooled_epochs {
    metric_tally tally;
    double of_a_value = 1;
};
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
