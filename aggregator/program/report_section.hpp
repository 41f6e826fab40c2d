// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_REPORT_SECTION_HPP
#define SOTTO_AGGREGATOR_PROGRAM_REPORT_SECTION_HPP

#include "aggregator/program/estimate_phrases.hpp"

#include <string>

namespace sotto::aggregator {

// One metric on the page that report_page.hpp makes, as HTML: all its rows, and its reports that
// there is no row of; not both are empty.
struct metric_findings {
    const metric *of = nullptr;
    row_group rows;
    std::span<const unanswered> without_rows;
};

// Epochs that it shows at most; of metrics that are one number an epoch more.
inline constexpr std::size_t epochs_shown = 12, numbers_shown = 1000;

// Its newest estimate in a line or two.
std::string answer(const metric_findings &found);
// What it promises, its charts and tables, newest epoch first, and what would make it say more.
std::string metric_section(const metric_findings &found);

} // namespace sotto::aggregator
#endif
