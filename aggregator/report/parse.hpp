// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_PARSE_HPP
#define SOTTO_AGGREGATOR_REPORT_PARSE_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/reason.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sotto::aggregator {

// The parser for what comes in by the million: no allocation, no exception, one pass. It is as
// strict as WIRE.md says. A report is refused where a field is missing, stands twice or is not in
// report.proto. It is refused too where a field has a wrong wire type or is out of its type's
// range.

// Bits of a report's flags; others have no meaning and are refused.
namespace report_flags {
// Relaxed because of what the release had said at a lower level: what was published there must not
// be forgotten, or estimates are biased.
inline constexpr std::uint32_t selected = 1;
inline constexpr std::uint32_t known = selected;
} // namespace report_flags

// One report where it stands. Nothing here was held against a registry yet.
struct report_view {
    std::uint64_t release = 0; // its eight bytes, big-endian
    std::uint32_t metric = 0, level = 0, flags = 0;
    std::uint32_t epoch = 0; // the measurement's, 0 to 2^32 - 2
    std::uint32_t cohort = 0;
    bool has_cohort = false;
    value_kind kind = value_kind::index;
    std::uint32_t scalar = 0;            // index or number
    std::span<const std::uint8_t> bytes; // bits, or numbers of four little-endian bytes
};

// The parts of a batch, kept to be used again.
struct batch_parts {
    std::uint32_t epoch = 0;
    std::vector<std::span<const std::uint8_t>> reports;
};

// Both answer nothing when all is well. Their results point into `bytes`.
std::optional<reason> split_batch(std::span<const std::uint8_t> bytes, batch_parts &out);
std::optional<reason> parse_report(std::span<const std::uint8_t> bytes, std::uint32_t batch_epoch,
                                   report_view &out);

} // namespace sotto::aggregator
#endif
