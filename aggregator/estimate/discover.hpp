// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_DISCOVER_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_DISCOVER_HPP

#include "aggregator/estimate/rows.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A string metric, and what was reported. The metric is given the first `max_bytes` bytes of a
// text, or all of it where it is no longer.
struct prefix_stage {
    const metric *subject = nullptr;
    metric_tally tally;
};

// One stage's result, and its reservations.
struct found_prefixes {
    std::vector<std::string> kept; // the most frequent detected ones, in falling order
    std::size_t left_out = 0;      // detected too, but extended they are too many to count
    // Releases of texts that are longer than the stage, where they are detected: it was given more
    // than its prefix.
    std::optional<estimated> too_long;
    bool is_misfit = false; // is the fit of the detected ones bad? see rappor.hpp
    double misfit = 1, freedom = 0;
};

// The result of all stages.
struct discovered {
    // The last stage's: prefixes of its max_bytes bytes, and shorter texts whole. To be estimated
    // as any candidates.
    std::vector<std::string> candidates;
    std::vector<found_prefixes> found; // one a stage before it
};

// The most texts of one stage.
inline constexpr std::size_t discover_candidates_max = 200'000;

// Errors, as usage_error: a metric is not of strings, or is no longer than the one before it. A
// single prefix is extended by more than discover_candidates_max texts.
void check_stages(const std::vector<const metric *> &metrics, std::size_t alphabet);

// Frequent texts that nobody has a list of, by extending prefixes. In the first stage every text of
// the alphabet is a candidate. Each later stage takes the texts that the one before it detected
// (rappor.hpp). It extends them by every text that makes up the difference. The method is PEM with
// RAPPOR in place of OLH (Wang, Li, Jha, Locally Differentially Private Heavy Hitter
// Identification, TDSC 2021). As there, each stage has noise of its own. A text that passed one
// stage by chance fails at the next. A device that reports all stages loses the sum of their
// epsilons; one that was given only one of them, whatever its text, loses that.
//
// Candidates for the last stage; those it detects are the frequent texts. Errors: as
// check_stages().
discovered discover(const std::vector<prefix_stage> &stages, const std::string &alphabet,
                    const decode_options &options);

} // namespace sotto::aggregator
#endif
