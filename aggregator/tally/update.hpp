// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_UPDATE_HPP
#define SOTTO_AGGREGATOR_TALLY_UPDATE_HPP

#include "aggregator/tally/count.hpp"
#include "aggregator/tally/tally_file.hpp"

#include <optional>

namespace sotto::aggregator {

// Tallies of a registry's metrics over what the store holds, of one epoch or of all, in order of
// fingerprint and epoch; of the whole or of a partition. A pure function of rows and registry.
// Parts are of epochs that are not expired. Errors: usage_error for a part of one that is,
// environment_error.
std::vector<partial_tally> make_tallies(const store &from, const registry &with,
                                        std::optional<std::uint32_t> epoch,
                                        const partition &part = {});

// Puts whole tallies into the store in one commit, in place of what it has of these epochs: doing
// so again changes nothing. The number of those that are new. Errors: usage_error, and nothing is
// put, when one is not of the rows that the store holds now, or differs from the tally of an epoch
// that is expired; environment_error.
std::size_t commit_tallies(const store &to, const std::vector<partial_tally> &tallies);

// No report of the epochs up to this one is taken any more. Closing again changes nothing.
void close_epochs(const store &in, std::uint32_t epoch);
// Closes them, makes their tallies final, and removes their reports for good; how many.
// Errors: environment_error; what was not removed is removed when it is done again.
std::uint64_t expire_epochs(const store &in, std::uint32_t epoch);

} // namespace sotto::aggregator
#endif
