// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PAGE_SECTION_HPP
#define SOTTO_AGGREGATOR_PAGE_SECTION_HPP

#include "aggregator/page/metric_findings.hpp"

#include <string>

namespace sotto::aggregator {

// Epochs that it shows at most; of metrics that are one number an epoch more.
inline constexpr std::size_t epochs_shown = 12, numbers_shown = 1000;

// A metric's newest estimate, its chart, and, folded: tables, newest epoch first, how to make it
// say more, and its promise.
std::string metric_section(const metric_findings &found);

} // namespace sotto::aggregator
#endif
