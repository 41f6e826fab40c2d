// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_ROWS_HPP
#define SOTTO_AGGREGATOR_STORE_ROWS_HPP

#include "aggregator/store/row.hpp"

namespace sotto::aggregator {

// Rows of one width that stand one behind the other in someone else's memory.
class row_range {
  public:
    row_range() = default;
    row_range(std::span<const std::uint8_t> bytes, std::size_t width)
        : bytes_(bytes), width_(width) {}

    std::size_t size() const { return width_ == 0 ? 0 : bytes_.size() / width_; }
    bool empty() const { return bytes_.empty(); }
    std::size_t width() const { return width_; }
    std::span<const std::uint8_t> bytes() const { return bytes_; }
    row_view operator[](std::size_t i) const { return bytes_.subspan(i * width_, width_); }
    row_view front() const { return bytes_.first(width_); }
    row_view back() const { return bytes_.last(width_); }
    row_range from(std::size_t i) const { return {bytes_.subspan(i * width_), width_}; }
    row_range first(std::size_t count) const { return {bytes_.first(count * width_), width_}; }

    // How many rows stand before the first for which `below` is false.
    template <typename Below> std::size_t partition_point(Below below) const {
        std::size_t low = 0, high = size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (below((*this)[middle])) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

  private:
    std::span<const std::uint8_t> bytes_;
    std::size_t width_ = 0;
};

} // namespace sotto::aggregator
#endif
