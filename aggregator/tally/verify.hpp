// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_VERIFY_HPP
#define SOTTO_AGGREGATOR_TALLY_VERIFY_HPP

#include "aggregator/store/store.hpp"

#include <string>
#include <vector>

namespace sotto::aggregator {

// Counts, and the problems that were found.
struct verification {
    std::uint64_t segments = 0, rows = 0, tallies = 0;
    std::uint64_t outdated = 0;        // tallies that sotto tally would make again
    std::uint64_t unrecorded = 0;      // files that a killed writer left, which count for nothing
    std::vector<std::string> problems; // one line each
};

// Reads every byte of segments, tallies and registries: checksums, order, each row once. Counts
// rows, conflicts, digests and tallies again and compares them with the ledger's.
// ledger::contradictions covers the files, rejects and ends that the ledger alone knows. Errors:
// environment_error when the ledger itself can't be read; all else is a problem.
verification verify(const store &what);

} // namespace sotto::aggregator
#endif
