// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_ESTIMATE_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_ESTIMATE_HPP

#include "aggregator/estimate/counted_epochs.hpp"
#include "aggregator/estimate/remark.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/store/store.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace sotto::aggregator {

// Why there is no row: words_of (text/remark_words.hpp) has a text for each.
enum class no_row : std::uint8_t {
    candidates_too_long,
    candidates_unknown,
    no_candidates,
    none_detected,
    none_told_apart,
    none_discovered,
};

// Reports of strings or hashed categories without a row: no text that was looked for is in them.
struct unanswered {
    const metric *subject = nullptr;
    std::optional<std::uint32_t> epoch; // nothing: all epochs in one
    std::uint64_t reports = 0;
    std::uint32_t level = 0;      // the highest that was read
    std::uint64_t candidates = 0; // candidates looked for
    no_row why = no_row::no_candidates;
    bool mixed = false; // several levels were read
};

// A metric that texts were discovered through, and the highest level that was read.
struct stage_read {
    const metric *subject = nullptr;
    std::uint32_t level = 0;
};

// The estimates, and the remarks beside them.
struct estimates {
    std::vector<estimate_row> rows; // by metric id, epoch and value
    std::vector<remark> remarks;
    std::vector<unanswered> without_rows = {};
    std::vector<const metric *> without_reports = {}; // asked for, and without a report
    std::vector<stage_read> stages = {};              // where texts were to be discovered
    std::map<const metric *, std::set<std::uint32_t>> epochs_read = {};
};

// The metrics to estimate, the reports to use, and the options.
struct estimate_request {
    std::string metric; // empty: all
    selection what;
    decode_options decode;   // of_a_value is for estimate() to say
    bool all_epochs = false; // in one
    // Instead of candidates: metrics of ever longer prefixes (discover.hpp) of texts in these
    // characters. Rows are then those of the last one that are detected.
    std::vector<std::string> discover;
    std::string alphabet;
    // One by one at most so many epochs, the newest. The first is for metrics that are one number
    // an epoch, the second for all others. Small epochs count if they are so near to others
    // (stray_epochs.hpp).
    std::size_t epochs = 10'000, epochs_of_values = 10'000;
    std::uint32_t nearby = 7;
    // Counters: sums of so many epochs, and of all before, each worth so much of the next.
    std::optional<std::uint32_t> window = {};
    std::optional<double> decay = {};
    bool smoothed = false; // by rows that closed later, too
};

// Estimates every metric and epoch that has reports. The rows point into `with`. Errors:
// usage_error naming the known ones for an unknown metric, or for a level that no metric asked for
// has; environment_error.
estimates estimate(const store &from, const registry &with, const estimate_request &request);

} // namespace sotto::aggregator
#endif
