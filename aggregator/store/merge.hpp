// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_MERGE_HPP
#define SOTTO_AGGREGATOR_STORE_MERGE_HPP

#include "aggregator/store/segment.hpp"

#include <functional>
#include <optional>

namespace sotto::aggregator {

// One of `count` equal shares of all release hashes: what one worker reads of an epoch.
struct partition {
    std::uint32_t index = 0, count = 1;

    // The first hash of it; of the partition behind the last, 2^64 - 1 is still the last's.
    std::uint64_t first_hash() const {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(index) << 64) / count);
    }
    bool is_last() const { return index + 1 == count; }
};

// The index of the partition, one of `count`, that a release hash lies in.
inline std::uint32_t partition_index(std::uint64_t hash, std::uint32_t count) {
    const auto share =
        static_cast<std::uint32_t>((static_cast<unsigned __int128>(hash) * count) >> 64);
    const partition next{share + 1, count}; // begins at a share rounded down
    return next.index < count && next.first_hash() <= hash ? next.index : share;
}

// Rows to read; everything unless said.
struct selection {
    std::optional<std::uint32_t> epoch;
    std::optional<std::uint32_t> level; // as published there, whether or not relaxed later
};

// All rows of the segments in their order, duplicates and conflicts too. In memory for a little of
// each segment only.
class merged_rows {
  public:
    // Nothing for `epoch`: all of them, and then only the whole partition.
    merged_rows(std::span<const segment> segments, std::optional<std::uint32_t> epoch,
                const partition &part = {});

    // On to the next row, the first at first; empty at the end. The row that was answered last
    // stays readable: what is given back is only read again.
    row_view next() {
        if (begun_ && !runs_.empty()) {
            advance();
        }
        begun_ = true;
        return runs_.empty() ? row_view() : runs_.front().rest.front();
    }

  private:
    struct run {
        row_range rest;
        const segment *file;
        const std::uint8_t *release_at; // when so much was read
    };

    void advance() {
        run &front = runs_.front();
        front.rest = front.rest.from(1);
        if (front.rest.bytes().data() >= front.release_at) [[unlikely]] {
            release(front);
        }
        if (runs_.size() > 1) {
            sift();
        }
    }
    void release(run &front);
    void sift();

    std::vector<run> runs_; // a heap of those that have rows, the least first
    bool begun_ = false;
};

// The rows of one release that count: the winner at each level, levels rising.
using release_levels = std::span<const row_view>;

// Calls `visit` once for each release, in order of epoch and hash. The least of conflicting rows
// wins. The outcome depends on the set of rows only, not on how they lie in segments. `rows`
// answers the next row in their order as merged_rows does.
template <typename Rows, typename Visit> void for_each_release(Rows rows, Visit visit) {
    std::vector<row_view> levels;
    for (row_view row = rows.next(); !row.empty(); row = rows.next()) {
        if (!levels.empty() && !same_release(levels.back(), row)) {
            visit(release_levels(levels));
            levels.clear();
        }
        if (levels.empty() || level_of(levels.back()) != level_of(row)) {
            levels.push_back(row);
        }
    }
    if (!levels.empty()) {
        visit(release_levels(levels));
    }
}

// Visits the highest level of each release, or those published at the level wanted. The segments'
// checksums are verified first. Errors: environment_error on a damaged segment.
void for_each_release(std::span<const segment> segments, const selection &what,
                      const std::function<void(row_view)> &visit);

} // namespace sotto::aggregator
#endif
