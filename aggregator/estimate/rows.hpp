// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_ROWS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_ROWS_HPP

#include "aggregator/estimate/tally.hpp"

#include <optional>
#include <string>
#include <variant>

namespace sotto::aggregator {

// What a row is about: true; a category, member or string by name; a category or coordinate by
// number; nothing in particular, for a mean.
using row_value = std::variant<std::monostate, bool, std::uint32_t, std::string>;

struct estimate_row {
    const metric *of = nullptr;
    std::uint32_t epoch = 0;
    std::optional<std::uint32_t> level; // nothing: all levels in one
    double epsilon = 0;                 // realised, of the highest level that was read
    bool mixed = false;                 // several levels were read
    row_value value;
    estimated result;             // a count of releases, or a mean
    std::optional<bool> detected; // strings
    // What the standard error would be had all these releases been relaxed by one level more: where
    // they are all of one level, and it can be said.
    std::optional<double> next_std_error;
    double next_epsilon = 0;
};

// The rows of one metric and epoch, in order of value.
struct metric_estimate {
    std::vector<estimate_row> rows;
    // Strings: candidates that the reports there are can't tell apart from others; no rows.
    std::vector<std::string> undetermined;
    bool strings_are_missing = false; // frequent ones, from the candidates (rappor.hpp)
};

bool is_mean(const metric &m);

// Strings without candidates have no rows. The rows point to `m`.
metric_estimate estimate_metric(const metric &m, std::uint32_t epoch, const metric_tally &tally,
                                const std::vector<std::string> &candidates);

} // namespace sotto::aggregator
#endif
