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

// A batch as it came, and what its registry says of widths.
struct batch_bytes {
    std::span<const std::uint8_t> bytes;
    const value_layouts *layouts = nullptr;
};

// A batch that was read. A batch that is refused has no reports.
struct batch_view {
    std::optional<reason> refused;
    std::uint32_t epoch = 0;
    std::span<const report_view> reports;
};

// The parser for what comes in by the million: no exception, one pass, and its memory is used
// again. It is as strict as WIRE.md says: a batch is refused as a whole. Used by one thread.
class batch_reader {
  public:
    // So many at once fill a vector with their ids, and stay in the nearest cache.
    static constexpr std::size_t usual_batches = 8;

    // A view for each, in their order, until the next call. They point into the bytes.
    std::span<const batch_view> read(std::span<const batch_bytes> batches);
    const batch_view &read(std::span<const std::uint8_t> bytes, const value_layouts &layouts) {
        const batch_bytes alone{bytes, &layouts};
        return read({&alone, 1}).front();
    }

  private:
    struct fields;
    struct extent {
        std::size_t first, count; // among all reports
        std::uint64_t seed;
        std::size_t fresh; // releases whose ids are of the seed
    };
    struct run { // reports of one metric
        const value_layout *layout;
        std::size_t count;
    };
    std::optional<reason> read_reports(const fields &found, const value_layouts &layouts,
                                       extent &at);
    std::optional<reason> read_metrics(const fields &found, const value_layouts &layouts,
                                       extent &at);
    std::optional<reason> read_columns(const fields &found, std::span<report_view> reports) const;
    std::optional<reason> read_releases(const fields &found, extent &at);
    std::optional<reason> read_values(std::span<const std::uint8_t> values, const extent &at);
    void give_ids();

    std::vector<batch_view> batches_;
    std::vector<extent> extents_;
    std::vector<report_view> reports_; // all batches' reports; it never shrinks
    std::vector<run> runs_;            // the last batch's
    std::vector<id_block> blocks_;
    std::vector<std::uint64_t> ids_;
    vector_kernel kernel_ = fastest_kernel();
};

} // namespace sotto::aggregator
#endif
