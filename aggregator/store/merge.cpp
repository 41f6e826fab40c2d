// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/merge.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

constexpr std::size_t release_bytes = std::size_t{1} << 24; // given back at once

// Rows of the epoch whose hash lies in the partition.
row_range rows_of(row_range rows, std::uint32_t epoch, const partition &part) {
    const auto below = [&](std::uint64_t hash) {
        return [epoch, hash](row_view r) {
            return epoch_of(r) != epoch ? epoch_of(r) < epoch : hash_of(r) < hash;
        };
    };
    rows = rows.from(rows.partition_point(below(part.first_hash())));
    if (part.is_last()) {
        return rows.first(rows.partition_point([&](row_view r) { return epoch_of(r) == epoch; }));
    }
    const partition behind{part.index + 1, part.count};
    return rows.first(rows.partition_point(below(behind.first_hash())));
}

// Where the next part ends that is given back at once.
const std::uint8_t *release_at(const row_range &rest) {
    return rest.bytes().data() + std::min(rest.bytes().size(), release_bytes);
}

} // namespace

merged_rows::merged_rows(std::span<const segment> segments, std::optional<std::uint32_t> epoch,
                         const partition &part) {
    for (const segment &file : segments) {
        const row_range rows = epoch ? rows_of(file.rows(), *epoch, part) : file.rows();
        if (!rows.empty()) {
            runs_.push_back({rows, &file, release_at(rows)});
        }
    }
    std::sort(runs_.begin(), runs_.end(),
              [](const run &a, const run &b) { return before(a.rest.front(), b.rest.front()); });
}

// Releases the pages of the front run that were read, and the run itself when nothing is left.
void merged_rows::release(run &front) {
    if (front.rest.empty()) {
        front = runs_.back();
        runs_.pop_back();
        return;
    }
    front.file->release(front.rest.front());
    front.release_at = release_at(front.rest);
}

// The first run to its place in the heap.
void merged_rows::sift() {
    for (std::size_t at = 0;;) {
        std::size_t least = at;
        for (std::size_t child = 2 * at + 1; child < std::min(2 * at + 3, runs_.size()); ++child) {
            if (before(runs_[child].rest.front(), runs_[least].rest.front())) {
                least = child;
            }
        }
        if (least == at) {
            return;
        }
        std::swap(runs_[at], runs_[least]);
        at = least;
    }
}

void for_each_release(std::span<const segment> segments, const selection &what,
                      const std::function<void(row_view)> &visit) {
    for (const segment &file : segments) {
        file.verify();
    }
    for_each_release(merged_rows(segments, what.epoch), [&](release_levels levels) {
        for (const row_view row : levels) {
            if (what.level ? level_of(row) == *what.level
                           : level_of(row) == level_of(levels.back())) {
                visit(row);
            }
        }
    });
}

} // namespace sotto::aggregator
