// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_ROW_LIST_HPP
#define SOTTO_AGGREGATOR_STORE_ROW_LIST_HPP

#include "aggregator/base/slabs.hpp"
#include "aggregator/store/row.hpp"

#include <functional>
#include <map>
#include <vector>

namespace sotto::aggregator {

// Rows of one metric that are still to be added to a store, in any order. As they come they are
// laid apart by epoch and by the leading bits of their hash. They are then sorted a few thousand at
// a time, within a processor's cache.
class row_list {
  public:
    // `width`: the bytes of a row.
    explicit row_list(std::size_t width) : width_(width) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t width() const { return width_; }
    // The rows, and the tables that keep them apart.
    std::size_t memory_bytes() const {
        return memory_.taken_bytes() + epochs_.size() * epoch_bytes;
    }
    // When there is a row.
    std::uint32_t epoch_min() const { return epochs_.begin()->first; }
    std::uint32_t epoch_max() const { return epochs_.rbegin()->first; }

    void add(row_view row) {
        std::memcpy(make_room(epoch_of(row), hash_of(row)), row.data(), width_);
    }
    // A report that the metric admits.
    void add(const report_view &r) {
        put_row(r, {make_room(r.epoch, release_hash(r.release)), width_});
    }
    void clear();

    // Calls `visit` with all rows in their order, some at a time, of which none has a release that
    // another has; it may change them. In time that does not depend on who chose the release ids.
    void for_each_sorted(const std::function<void(std::span<std::uint8_t>)> &visit) const;

  private:
    // Full of rows, but for the newest of a bucket; they begin right behind it.
    struct alignas(64) piece {
        piece *older;
        std::uint8_t *end;
    };
    struct bucket {
        piece *newest = nullptr;
        std::uint8_t *at = nullptr, *end = nullptr; // in the newest piece: the next row, its end
    };
    // One bucket for few rows, many for many.
    struct epoch_rows {
        std::vector<bucket> buckets = std::vector<bucket>(1);
        std::size_t mask = 0, capacity = 0; // mask: picks a bucket; capacity: in rows

        bucket &bucket_of(std::uint64_t hash) { return buckets[hash >> (64 - bucket_bits) & mask]; }
    };
    class sorter;

    static constexpr unsigned bucket_bits = 8;
    static constexpr std::size_t epoch_bytes = 256; // about

    std::uint8_t *make_room(std::uint32_t epoch, std::uint64_t hash) {
        if (here_ == nullptr || epoch != epoch_) {
            here_ = &epochs_[epoch];
            epoch_ = epoch;
        }
        bucket *room = &here_->bucket_of(hash);
        if (room->at == room->end) [[unlikely]] {
            room = &grow(hash);
        }
        ++size_;
        std::uint8_t *row = room->at;
        room->at += width_;
        __builtin_prefetch(room->at + 64, 1); // by when this bucket's turn comes again
        return row;
    }
    bucket &grow(std::uint64_t hash);
    void split();
    // Calls `visit` for each piece of the bucket.
    template <typename Visit> static void for_each_piece(const bucket &in, Visit visit);

    std::size_t width_, size_ = 0;
    slabs memory_;
    std::map<std::uint32_t, epoch_rows> epochs_;
    std::uint32_t epoch_ = 0;
    epoch_rows *here_ = nullptr; // the rows of epoch_, which came last
};

} // namespace sotto::aggregator
#endif
