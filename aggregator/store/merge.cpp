// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/merge.hpp"

#include "aggregator/base/big_endian.hpp"

#include <algorithm>
#include <queue>

namespace sotto::aggregator {
namespace {

using run = std::span<const row>;

struct later {
    bool operator()(const run &a, const run &b) const { return b.front() < a.front(); }
};

run rows_of_epoch(run rows, std::uint32_t epoch) {
    const auto below = [](const row &r, std::uint32_t e) { return epoch_of(r) < e; };
    const auto begin = std::lower_bound(rows.begin(), rows.end(), epoch, below);
    // Epochs end at 2^32 - 2.
    return {begin, std::lower_bound(begin, rows.end(), epoch + 1, below)};
}

} // namespace

void for_each_release(std::span<const segment> segments, const selection &what,
                      const std::function<void(const row &)> &visit) {
    std::priority_queue<run, std::vector<run>, later> runs;
    for (const segment &one : segments) {
        one.verify();
        const run rows = what.epoch ? rows_of_epoch(one.rows(), *what.epoch) : one.rows();
        if (!rows.empty()) {
            runs.push(rows);
        }
    }
    const row *best = nullptr; // of the release that is being read
    while (!runs.empty()) {
        const run rows = runs.top();
        runs.pop();
        const row &one = rows.front();
        if (rows.size() > 1) {
            runs.push(rows.subspan(1));
        }
        if (what.level && level_of(one) != *what.level) {
            continue;
        }
        if (best != nullptr && !same_release(*best, one)) {
            visit(*best);
            best = nullptr;
        }
        // Rows come sorted: a higher level later, the winner of a conflict first.
        if (best == nullptr || level_of(one) > level_of(*best)) {
            best = &one;
        }
    }
    if (best != nullptr) {
        visit(*best);
    }
}

} // namespace sotto::aggregator
