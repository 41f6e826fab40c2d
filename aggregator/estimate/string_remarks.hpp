// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_STRING_REMARKS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_STRING_REMARKS_HPP

#include "aggregator/estimate/discover.hpp"

#include <functional>
#include <string>

namespace sotto::aggregator {

using said_of = std::function<void(const std::string &text)>; // one metric and epoch

// Remarks on estimates of strings among candidates that somebody knew.
void note_strings(const said_of &say, const metric_estimate &found);

// Candidates that were made of an alphabet are others: of what they leave over.
void note_discovered(const said_of &say, double misfit, double freedom);

// For a stage that is not the last.
void note_stage(const said_of &say, const said_of &doubt, const metric &m,
                const found_prefixes &found);

} // namespace sotto::aggregator
#endif
