// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_UPDATE_HPP
#define SOTTO_AGGREGATOR_TALLY_UPDATE_HPP

#include "aggregator/tally/count.hpp"
#include "aggregator/tally/region_tally.hpp"

#include <optional>

namespace sotto::aggregator {

// Tallies of a registry's metrics over the store, for one epoch or for all, in order of fingerprint
// and epoch, whole or a partition. A pure function of rows and registry. For all epochs, sound
// tallies are read from the store. One epoch is counted again, whatever its tally says. Parts exist
// only of epochs that are not expired. Errors: usage_error for a part of one that is,
// environment_error.
std::vector<partial_tally> make_tallies(const store &from, const registry &with,
                                        std::optional<std::uint32_t> epoch,
                                        const partition &part = {});

// Samples of the releases of whole tallies that make_tallies made. Expired epochs have no reports
// left to sample, and are left out. Errors: usage_error when nothing is left; environment_error.
region_tallies sampled(const store &from, const registry &with, std::vector<partial_tally> tallies,
                       const sample_key &key);

// Who counted: make_tallies on this very store, or somebody whose file it is.
enum class tallied : std::uint8_t { here, elsewhere };

// Errors: usage_error when one is not of the rows that the store holds now.
void check_current(const store &target, const std::vector<partial_tally> &tallies);

// Puts whole tallies into the store in one commit, in place of what it has of these epochs: doing
// so again changes nothing. The number of those that are new. Errors: environment_error; and,
// with nothing put, usage_error when one is
// - not of the rows that the store holds now, or not possible for so many
// - another than the tally of an epoch that is expired
// - counted elsewhere, and another than a sound one of the same rows.
std::size_t commit_tallies(const store &target, const std::vector<partial_tally> &tallies,
                           tallied where = tallied::elsewhere);

// No report of the epochs up to this one is taken any more. Closing again changes nothing.
void close_epochs(const store &in, std::uint32_t epoch);
// Closes them, counts them for the last time, and removes their reports for good; how many.
// Errors: environment_error, and nothing is changed, when segments and ledger differ; otherwise
// what was not removed is removed when it is done again.
std::uint64_t expire_epochs(const store &in, std::uint32_t epoch);

} // namespace sotto::aggregator
#endif
