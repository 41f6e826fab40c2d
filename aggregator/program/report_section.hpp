// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_REPORT_SECTION_HPP
#define SOTTO_AGGREGATOR_PROGRAM_REPORT_SECTION_HPP

#include "aggregator/program/estimate_phrases.hpp"

#include <string>

namespace sotto::aggregator {

// One metric on the page that report_page.hpp makes. Both take all rows of the metric, as HTML.

// Its newest estimate in a line or two.
std::string answer(row_group all);
// What it promises, its charts and tables, newest epoch first, and what would make it say more.
std::string metric_section(row_group all);

} // namespace sotto::aggregator
#endif
