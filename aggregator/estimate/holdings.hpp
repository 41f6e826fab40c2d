// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_HOLDINGS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_HOLDINGS_HPP

#include "aggregator/estimate/remark.hpp"
#include "aggregator/store/store.hpp"

#include <optional>
#include <vector>

namespace sotto::aggregator {

// For whoever asked a store for reports that it doesn't have: a metric_held for each metric that it
// does have any of. None for an empty store. Errors: environment_error on a damaged segment.
std::vector<remark> what_is_held(const store &from, const registry &asked,
                                 const std::vector<const metric *> &metrics);

// For whoever asked for an epoch without reports: which epochs of these metrics there are, or else
// of all that are `asked` for; nothing where there are none.
std::optional<no_reports_of_epoch> which_epochs_are_held(const store &from, const registry &asked,
                                                         const std::vector<const metric *> &metrics,
                                                         std::uint32_t epoch);

// For whoever reads a store with another registry than its reports came with: an other_definition
// for each of these metrics whose name another definition has that there are reports of, at this
// epoch if one is given; and, if they are all that `asked` has, the metrics that it does not know.
std::vector<remark> what_is_not_counted(const store &from, const registry &asked,
                                        const std::vector<const metric *> &metrics,
                                        std::optional<std::uint32_t> epoch = {});

} // namespace sotto::aggregator
#endif
