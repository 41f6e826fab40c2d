// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_HOLDINGS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_HOLDINGS_HPP

#include "aggregator/store/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// For whoever asked a store for reports that it doesn't have: a line for each metric that it does
// have any of, which epochs and levels, and whether it belongs to another registry. No line for an
// empty store. Errors: environment_error on a damaged segment.
std::vector<std::string> say_what_is_held(const store &from, const registry &asked,
                                          const std::vector<const metric *> &metrics);

// For whoever asked for an epoch without reports: which epochs of these metrics there are, or else
// of all that are `asked` for; "" where there are none.
std::string say_which_epochs(const store &from, const registry &asked,
                             const std::vector<const metric *> &metrics);

// For whoever reads a store with another registry than its reports came with: a line for each of
// these metrics whose name another definition has that there are reports of, at this epoch if one
// is given; and, if they are all that `asked` has, one for the metrics that it does not know.
std::vector<std::string> say_what_is_not_counted(const store &from, const registry &asked,
                                                 const std::vector<const metric *> &metrics,
                                                 std::optional<std::uint32_t> epoch = {});

} // namespace sotto::aggregator
#endif
