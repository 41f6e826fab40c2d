// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_STRING_REMARKS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_STRING_REMARKS_HPP

#include "aggregator/estimate/discover.hpp"
#include "aggregator/estimate/remark.hpp"

namespace sotto::aggregator {

// Remarks on estimates of strings among candidates that somebody knew.
void note_strings(const said_of &say, const metric_estimate &found);

// For a stage of discovery that is not the last.
void note_stage(const said_of &say, const metric &m, const found_prefixes &found);

} // namespace sotto::aggregator
#endif
