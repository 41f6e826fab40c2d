// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_PARSE_HPP
#define SOTTO_AGGREGATOR_REPORT_PARSE_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/new_ids.hpp"
#include "aggregator/report/reason.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Bits of a report's flags; others have no meaning and are refused.
namespace report_flags {
// Relaxed because of what the release had said at a lower level: what was published there must not
// be forgotten, or estimates are biased.
inline constexpr std::uint32_t selected = 1;
// On the wire alone: the release had an id before this batch.
inline constexpr std::uint32_t known = 2;
} // namespace report_flags

// A device has at most 1,000 releases of 16 levels.
inline constexpr std::size_t reports_in_batch_max = 16000;

// One report where it stands, its value as wide as its metric's values are. Nothing else here was
// held against a registry yet.
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

// The widths of a registry's values, by metric id.
class value_layouts {
  public:
    explicit value_layouts(const registry &with);
    // Null where the registry has no such metric.
    const value_layout *find(std::uint64_t metric) const {
        return metric < places_.size() && places_[metric] ? &*places_[metric] : nullptr;
    }

  private:
    std::vector<std::optional<value_layout>> places_;
};

// The parser for what comes in by the million: no exception, one pass, and its memory is used
// again. It is as strict as WIRE.md says: a batch is refused as a whole.
class batch_reader {
  public:
    // Nothing when all is well.
    std::optional<reason> read(std::span<const std::uint8_t> bytes, const value_layouts &layouts);

    std::uint32_t epoch() const { return epoch_; }
    // They point into the bytes that were read.
    std::span<const report_view> reports() const { return reports_; }

  private:
    struct fields;
    std::optional<reason> read_numbers(const fields &found, const value_layouts &layouts);
    std::optional<reason> read_releases(const fields &found);
    std::optional<reason> read_values(std::span<const std::uint8_t> values);

    std::uint32_t epoch_ = 0;
    std::vector<report_view> reports_;
    std::vector<const value_layout *> layouts_; // one a report
    new_ids ids_;
};

} // namespace sotto::aggregator
#endif
