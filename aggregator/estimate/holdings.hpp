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

// Says to a reader who asked for an epoch without reports which epochs of these metrics there are.
// If these have none: which epochs of all metrics in `asked`. Nothing where there are none.
std::optional<no_reports_of_epoch> which_epochs_are_held(const store &from, const registry &asked,
                                                         const std::vector<const metric *> &metrics,
                                                         std::uint32_t epoch);

// For a reader whose registry is another than the one that its reports came with. An
// other_definition for each of these metrics whose name another definition has, if the store has
// reports of it. They are reports of this epoch, if one is given. If these are all metrics of
// `asked`, the metrics that it does not know come too.
std::vector<remark> what_is_not_counted(const store &from, const registry &asked,
                                        const std::vector<const metric *> &metrics,
                                        std::optional<std::uint32_t> epoch = {});

} // namespace sotto::aggregator
#endif
