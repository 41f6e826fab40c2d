// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PAGE_METRIC_FINDINGS_HPP
#define SOTTO_AGGREGATOR_PAGE_METRIC_FINDINGS_HPP

#include "aggregator/text/estimate_phrases.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace sotto::aggregator {

// One metric on the page that page.hpp makes. It has rows, or reports that gave no row, or both.
struct metric_findings {
    const metric *subject = nullptr;
    row_group rows;
    std::span<const unanswered> without_rows;
    std::span<const stage_read> stages = {}; // stages to discover its texts through
};

// The findings about a metric in one epoch, or in all in one.
struct answered_epoch {
    std::optional<std::uint32_t> epoch;
    std::uint64_t reports = 0;
    std::uint32_t level = 0; // the highest that was read
    bool mixed = false;      // several were
};

// Epochs of a metric, those with an estimate first; stray ones left out.
std::vector<answered_epoch> answered_epochs(const metric_findings &found);

// The numbers of those that have one.
std::set<std::uint32_t> epoch_numbers(std::span<const answered_epoch> epochs);

} // namespace sotto::aggregator
#endif
