// SPDX-License-Identifier: Apache-2.0
// The page's words on privacy. An answer is all that a device says of one measurement: its reports
// at all the levels that it was published at count together.
#ifndef SOTTO_AGGREGATOR_PAGE_PRIVACY_HPP
#define SOTTO_AGGREGATOR_PAGE_PRIVACY_HPP

#include "aggregator/page/metric_findings.hpp"

#include <string>

namespace sotto::aggregator {

// "epsilon 1.5", of one of the answers that a row was made from: "epsilon at most 1.5" where some
// lost less.
std::string privacy_text(const estimate_row &r);
// "odds change at most 4.49 times", by the same.
std::string odds_text(const estimate_row &r);

// A paragraph: what epsilon promises, for all metrics once.
std::string epsilon_in_words();
// Paragraphs: what one answer of a metric loses, and all that a device gave in the epochs shown.
std::string promise_text(const metric_findings &found);
// A paragraph: what all these metrics lose together.
std::string all_together_text(const std::vector<metric_findings> &metrics, const registry &known);

} // namespace sotto::aggregator
#endif
