// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/release_counter.hpp"

#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/report/parse.hpp"

#include <algorithm>
#include <numeric>

namespace sotto::aggregator {
namespace {

constexpr std::size_t rows_at_once = 256;

bool is_selected(row_view row) { return (flags_of(row) & report_flags::selected) != 0; }

// The levels that can be counted of a release: none, where what it was selected by is missing.
release_levels up_to_selected(release_levels levels) {
    const auto first = std::find_if(levels.begin(), levels.end(), is_selected);
    if (first == levels.end()) {
        return levels;
    }
    const auto before = static_cast<std::size_t>(first - levels.begin());
    return levels.first(before == 0 ? 0 : before + 1);
}

} // namespace

row_counter::row_counter(const metric &m)
    : metric_(m), values_(mechanism_of(m).published(m)), tally_(empty_tally(m)),
      unused_(unused_bits_of(values_)), bits_(tally_.size()), waiting_(tally_.size()) {
    for (std::vector<const std::uint8_t *> &some : waiting_) {
        some.reserve(rows_at_once);
    }
}

bool row_counter::count(row_view row) {
    const std::uint8_t level = level_of(row);
    if (values_.kind != value_kind::bits) {
        return count_release(tally_, metric_, level, cohort_of(row), value_of(row));
    }
    if (level >= tally_.size() || cohort_of(row) >= tally_[level].cohorts.size() ||
        (row.back() & unused_) != 0) {
        return false;
    }
    waiting_[level].push_back(row.data() + row_head_bytes);
    if (waiting_[level].size() == rows_at_once) {
        drain(level);
    }
    return true;
}

metric_tally row_counter::finish() {
    for (std::size_t level = 0; level < tally_.size(); ++level) {
        drain(level);
        level_tally &at = tally_[level];
        if (bits_[level]) {
            bits_[level]->move_to(at.ones, at.cohorts);
            at.reports = std::accumulate(at.cohorts.begin(), at.cohorts.end(), std::uint64_t{0});
        }
    }
    return std::move(tally_);
}

void row_counter::drain(std::size_t level) {
    if (waiting_[level].empty()) {
        return;
    }
    if (!bits_[level]) {
        bits_[level].emplace(tally_[level].cohorts.size(), values_.size);
    }
    bits_[level]->add(waiting_[level]);
    waiting_[level].clear();
}

bool release_counter::count(release_levels levels) {
    const bool is_index = metric_.kind() == value_kind::index;
    levels = is_index ? up_to_selected(levels) : levels;
    if (levels.empty()) {
        ++tally_.unexplained;
        return true;
    }
    const row_view last = levels.back();
    bool is_possible = highest_.count(last);
    for (const row_view row : levels.first(levels.size() - 1)) {
        is_possible = lower_.count(row) && is_possible;
    }
    if (is_possible && is_index && is_selected(last)) {
        const row_view low = levels[levels.size() - 2];
        ++tally_.selected[{level_of(low), index_of(low), level_of(last), index_of(last)}];
    }
    return is_possible;
}

epoch_tally release_counter::finish() {
    tally_.highest = highest_.finish();
    tally_.lower = lower_.finish();
    return std::move(tally_);
}

} // namespace sotto::aggregator
