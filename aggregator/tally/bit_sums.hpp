// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_BIT_SUMS_HPP
#define SOTTO_AGGREGATOR_TALLY_BIT_SUMS_HPP

#include "aggregator/base/vector_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::aggregator {

// How many rows have each bit set. A positional population count by carry-save adders (Harley and
// Seal) brings 256 rows down to a ninth bit of every sum before anything is counted.
class bit_sums {
  public:
    explicit bit_sums(std::size_t bits, vector_kernel kernel = fastest_kernel());

    // Each points to the (bits + 7) / 8 bytes of a row, before which there are 8 bytes at least
    // that may be read. Any number at a time; a multiple of 256 takes least.
    void add(std::span<const std::uint8_t *const> rows);

    // Adds the sums to these, by bit, and starts again at zero.
    void move_to(std::span<std::uint64_t> ones);

  private:
    static constexpr std::size_t levels = 8; // bits of a sum that stay carry-save
    static constexpr std::size_t block_rows = 1 << levels;
    static constexpr std::size_t front_bytes = 8; // a row's first: read with a short row
    using block = std::span<const std::uint8_t *const, block_rows>;

    template <typename Chunk, typename Mask>
    void add_column(block rows, std::size_t at, const Mask &mask);
    template <typename Widest> void add_block(block rows);
    void add_portable(block rows);
    void add_avx2(block rows);
    void add_avx512(block rows);

    std::size_t bits_, row_bytes_;
    vector_kernel kernel_;
    std::vector<std::uint8_t> low_[levels]; // bit k of every sum, laid out as a row and its front
    std::vector<std::uint64_t> high_;       // the sums' other bits, each a multiple of 256
    std::vector<std::uint8_t> nothing_;     // a row without ones, to fill a block up with
};

} // namespace sotto::aggregator
#endif
