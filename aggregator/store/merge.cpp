// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/merge.hpp"

#include <algorithm>
#include <queue>

namespace sotto::aggregator {
namespace {

struct later {
    bool operator()(const row_range &a, const row_range &b) const {
        return before(b.front(), a.front());
    }
};

row_range rows_of_epoch(row_range rows, std::uint32_t epoch) {
    rows = rows.from(rows.partition_point([&](row_view r) { return epoch_of(r) < epoch; }));
    return rows.first(rows.partition_point([&](row_view r) { return epoch_of(r) == epoch; }));
}

} // namespace

void for_each_release(std::span<const segment> segments, const selection &what,
                      const std::function<void(row_view)> &visit) {
    std::priority_queue<row_range, std::vector<row_range>, later> runs;
    for (const segment &one : segments) {
        one.verify();
        const row_range rows = what.epoch ? rows_of_epoch(one.rows(), *what.epoch) : one.rows();
        if (!rows.empty()) {
            runs.push(rows);
        }
    }
    std::optional<row_view> best; // of the release that is being read
    while (!runs.empty()) {
        const row_range rows = runs.top();
        runs.pop();
        const row_view one = rows.front();
        if (rows.size() > 1) {
            runs.push(rows.from(1));
        }
        if (what.level && level_of(one) != *what.level) {
            continue;
        }
        if (best && !same_release(*best, one)) {
            visit(*best);
            best.reset();
        }
        // Rows come sorted: a higher level later, the winner of a conflict first.
        if (!best || level_of(one) > level_of(*best)) {
            best = one;
        }
    }
    if (best) {
        visit(*best);
    }
}

} // namespace sotto::aggregator
