// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_ROWS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_ROWS_HPP

#include "aggregator/estimate/selective_relaxation.hpp"
#include "aggregator/statistics/cell_box.hpp"
#include "aggregator/statistics/rappor.hpp"
#include "aggregator/tally/tally.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sotto::aggregator {

// All strings of more bytes than that: a device makes one value of them (bloom.hpp).
struct longer_strings {
    std::uint32_t max_bytes = 0;

    bool operator==(const longer_strings &) const = default;
};

// Numbers of a distribution, both included.
struct number_bin {
    std::int32_t first = 0, last = 0;

    bool operator==(const number_bin &) const = default;
};

// The number that a share `part` of all values is below.
struct quantile {
    double part = 0;

    bool operator==(const quantile &) const = default;
};

// The subject of a row. True for a boolean; a name for a category, member or string. A number for a
// category or coordinate without a name. All strings that are too long; nothing in particular for a
// mean. For a counter the name of a sum ("prefix").
using row_value = std::variant<std::monostate, bool, std::uint32_t, std::string, longer_strings,
                               number_bin, quantile>;

// The most that a device loses that reported in each of so many epochs; infinite where the
// registry's tables don't hold it.
struct pooled_loss {
    std::uint32_t epochs = 0;
    double epsilon = 0;
};

// How far dishonest devices that sent so many reports can have moved a result.
struct coalition_reach {
    std::uint64_t reports = 0;
    double shift = 0;
};

// A row, had all its releases been relaxed to the next level (next_level.hpp).
struct relaxed_estimate {
    double std_error = 0;
    double epsilon = 0, joint_epsilon = 0; // as in estimate_row
};

// A counter's row: of one epoch, or of several up to its own. A histogram's or location's: of one.
struct summed_epochs {
    estimated total;          // the sum over all devices that counted; `result` is a device's mean
    std::uint32_t epochs = 1; // with reports
};

// An estimate of one value, its privacy and its errors.
struct estimate_row {
    const metric *subject = nullptr;
    std::optional<std::uint32_t> epoch; // nothing: all epochs in one
    std::optional<std::uint32_t> level; // nothing: all levels in one
    double epsilon = 0;                 // realised, of the highest level that was read
    std::uint32_t highest = 0;          // the highest level that was read
    bool mixed = false;                 // several were
    double joint_epsilon = 0;           // this level and all below it, published together
    // Metrics that the value was reported to, at most. A discovered text was reported to all that
    // it was discovered through (discover.hpp). joint_epsilon is then the loss to all of them.
    std::uint32_t stages = 1;
    row_value value;
    // A count of releases, or a mean. Several levels are added up, unless releases were selected
    // (selective_relaxation.hpp).
    estimated result;
    // The result as something that can be: a count from 0 to `reports`, a mean in its range. Counts
    // of categories are the nearest that add up to it. Counts of strings are the best fit without
    // negative ones, brought down where they add up to more than the reports. Neither unbiased nor
    // what the interval is about.
    double consistent = 0;
    std::optional<bool> detected; // strings
    // Several levels, weighted by the inverse of their variance, where the result adds them up.
    // More accurate, and right only where the level has nothing to do with the value
    // (pooled_levels.hpp); nothing where levels differ by more than chance.
    std::optional<estimated> pooled;
    std::optional<coalition_reach> coalition; // where one was asked for
    // Only where several epochs are one.
    std::optional<pooled_loss> all_epochs;
    std::optional<summed_epochs> summed; // counters, histograms, locations
    // A counter's sum of all epochs so far, with all others made never to fall: their isotonic
    // regression. Biased, without an interval, and changed by epochs to come.
    std::optional<double> monotone;
    // Where there is a next level, and no release was relaxed by its own value.
    std::optional<relaxed_estimate> relaxed;
};

// The rows of one metric and epoch, in order of value.
struct metric_estimate {
    std::vector<estimate_row> rows;
    // Strings: candidates that the reports there are can't tell apart from others; no rows.
    std::vector<std::string> undetermined;
    std::vector<std::vector<std::string>> collisions; // have the same bits in all cohorts
    std::uint64_t screened_out = 0;                   // candidates not detected; no rows
    bool levels_differ = false;                       // in what they tell
    bool strings_are_missing = false; // frequent ones, from the candidates (rappor.hpp)
    std::uint64_t cut_boxes = 0;      // rows of boxes that squares don't add up to
    bool is_misfit = false;           // the same, whether there was a screen or not
    double misfit = 1, freedom = 0;   // how badly the candidates fit
    std::uint64_t by_first = 0;       // selective_estimate
};

// Bins, both included, of points that are counted.
using place_range = std::pair<std::uint32_t, std::uint32_t>;

// Options beside the tally; strings need candidates.
struct decode_options {
    std::vector<std::string> candidates;
    correction detect_by = correction::benjamini_hochberg;
    // Epochs that are in one: in how many of them a device is, on average by reports, all of them
    // of one value (epoch_pool).
    double of_a_value = 1;
    std::uint64_t coalition = 0; // reports
    // Booleans and categories: releases that were relaxed because of what they had said, counted in
    // the tally as well (selective_relaxation.hpp).
    std::vector<selected_count> selected = {};
    std::vector<place_range> ranges = {}; // histograms: instead of bins
    std::vector<cell_box> boxes = {};     // locations: instead of the first grid's squares
};

// Whether its estimates are means: integers, vectors and means. Else they are counts.
bool is_mean(const metric &m);
// Whether a row is a mean: bins of a distribution are counts, beside its mean and quantiles.
bool is_mean(const estimate_row &row);

// The loss of a release that was published at every level up to this one: realised(level) where the
// ladder is lossless, else more.
double joint_epsilon(const metric &m, std::size_t level);

// Strings without candidates have no rows. With some, the last row is for the strings that are too
// long, if the reports tell them from the candidates. The rows point to `m`.
metric_estimate estimate_metric(const metric &m, std::optional<std::uint32_t> epoch,
                                const metric_tally &tally, const decode_options &options = {});

} // namespace sotto::aggregator
#endif
