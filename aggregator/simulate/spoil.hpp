// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_SPOIL_HPP
#define SOTTO_AGGREGATOR_SIMULATE_SPOIL_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/parse.hpp"

#include <optional>
#include <string>

namespace sotto::aggregator {

// Why ingest would refuse a report that stands in a sound batch, why a whole batch, and why an
// envelope.
inline constexpr reason report_faults[] = {reason::unknown_level, reason::value_range};
inline constexpr reason batch_faults[] = {reason::malformed, reason::missing_field,
                                          reason::not_canonical, reason::unknown_metric,
                                          reason::epoch_range};
inline constexpr reason envelope_faults[] = {reason::unknown_version, reason::unknown_registry};
inline constexpr reason sealed_envelope_faults[] = {reason::unknown_key, reason::not_opened};

// A sound report of `m`, changed so that it is refused for `why`, one of report_faults. Nothing
// where all that fits in the metric's bits is a value of it.
std::optional<report_view> spoilt(report_view r, const metric &m, reason why);

// A batch of that epoch with this sound report alone, refused for `why`, one of batch_faults.
std::string spoilt_batch(report_view r, std::uint32_t epoch, const value_layouts &layouts,
                         reason why);

} // namespace sotto::aggregator
#endif
