// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_TALLIES_ALONE_HPP
#define SOTTO_AGGREGATOR_TALLY_TALLIES_ALONE_HPP

#include "aggregator/store/store.hpp"
#include "aggregator/tally/tally_file.hpp"

namespace sotto::aggregator {

// Puts whole tallies into a store that has none of their reports, in one commit: to it their epochs
// are expired. The store keeps the registry. The number of those that are new. Errors:
// environment_error; and, with nothing put, usage_error when
// - the store has reports
// - it has another tally of one of these epochs
// - one is not possible, or of a metric that the registry does not have.
std::size_t add_tallies_alone(store &target, const registry_file &with,
                              const std::vector<partial_tally> &tallies);

} // namespace sotto::aggregator
#endif
