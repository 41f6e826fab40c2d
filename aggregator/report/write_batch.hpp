// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_WRITE_BATCH_HPP
#define SOTTO_AGGREGATOR_REPORT_WRITE_BATCH_HPP

#include "aggregator/report/parse.hpp"

#include <span>
#include <string>

namespace sotto::aggregator {

// The canonical batch of reports that a batch_reader gave, for those who pack them anew: every id
// is written out. Metrics must ascend, and no epoch be after `epoch`. It is not padded.
std::string write_batch(std::uint32_t epoch, std::span<const report_view> reports,
                        const value_layouts &layouts);

// Up to a multiple of `step_bytes`, 0 to 64; 0: as it is.
void pad_batch(std::string &batch, std::size_t step_bytes);

} // namespace sotto::aggregator
#endif
