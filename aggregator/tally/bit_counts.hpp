// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_BIT_COUNTS_HPP
#define SOTTO_AGGREGATOR_TALLY_BIT_COUNTS_HPP

#include "aggregator/tally/bit_sums.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sotto::aggregator {

// How many rows of each cohort have each bit set. Counters are bytes, eight or more of which are
// added at once, and are emptied into wide ones before they overflow. Rows of one cohort only need
// no such counters: see bit_sums.
class bit_counts {
  public:
    bit_counts(std::size_t cohorts, std::size_t bits, vector_kernel kernel = fastest_kernel());

    // Each points to the (bits + 7) / 8 bytes of a row. Its cohort stands before them, big-endian
    // in two bytes, as in a stored row. At least 8 bytes before them can be read. Cohorts must be
    // below `cohorts`; what stands in the unused bits of the last byte counts for nothing.
    void add(std::span<const std::uint8_t *const> rows);

    // Adds the counts to these, by cohort and bit and by cohort, and starts again at zero.
    void move_to(std::span<std::uint64_t> ones, std::span<std::uint64_t> reports);

  private:
    // As wide as the widest vector, and not across two cache lines.
    struct alignas(64) lane_group {
        std::uint8_t lanes[64];
    };

    std::uint8_t *narrow_of(std::size_t cohort) { return narrow_[cohort * groups_].lanes; }
    void spill(std::size_t cohort);
    template <typename Adder>
    void add_rows(std::span<const std::uint8_t *const> rows, std::size_t bytes, Adder add_row);
    void add_portable(std::span<const std::uint8_t *const> rows);
    void add_avx2(std::span<const std::uint8_t *const> rows);
    void add_avx512(std::span<const std::uint8_t *const> rows);

    std::size_t bits_, row_bytes_, groups_, lanes_; // groups of lanes, and lanes, of a cohort
    vector_kernel kernel_;
    std::optional<bit_sums> alone_; // in place of counters
    std::vector<lane_group> narrow_;
    std::vector<std::uint8_t> pending_;         // rows of each cohort in its narrow counters
    std::vector<std::uint64_t> wide_, reports_; // without those
};

} // namespace sotto::aggregator
#endif
