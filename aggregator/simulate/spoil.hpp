// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_SPOIL_HPP
#define SOTTO_AGGREGATOR_SIMULATE_SPOIL_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/parse.hpp"

#include <string>
#include <string_view>

namespace sotto::aggregator {

// Why ingest would refuse a report that stands in a sound batch, and why a whole envelope.
inline constexpr reason report_faults[] = {
    reason::malformed,        reason::missing_field,  reason::not_canonical,
    reason::release_length,   reason::unknown_metric, reason::unknown_level,
    reason::wrong_value_type, reason::value_range,    reason::epoch_range};
inline constexpr reason envelope_faults[] = {reason::unknown_version, reason::unknown_registry};
inline constexpr reason sealed_envelope_faults[] = {reason::unknown_key, reason::not_opened};

// A sound report, changed: in a batch of that epoch it is refused for `why`, one of report_faults.
// `with` has its metric.
std::string spoilt(std::string_view report, std::uint32_t batch_epoch, const registry &with,
                   reason why);

} // namespace sotto::aggregator
#endif
