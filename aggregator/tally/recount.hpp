// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_RECOUNT_HPP
#define SOTTO_AGGREGATOR_TALLY_RECOUNT_HPP

#include "aggregator/store/store.hpp"

#include <string>
#include <vector>

namespace sotto::aggregator {

// Where a metric's segments and the ledger differ, one line each: order, rows twice; of the epochs
// that are not expired rows, conflicts and digests. Reads every row, of segments whose checksums
// should have been verified.
std::vector<std::string> row_problems(const store &in, std::span<const segment> segments,
                                      const metric &m);

} // namespace sotto::aggregator
#endif
