// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/closed_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {

void closed_rows::add(std::size_t level, std::uint32_t last, const row_reading &row) {
    rows_[level][last / spans_[level]] = row;
    for (std::size_t above = level + 1; above < spans_.size(); ++above) {
        rows_[above].try_emplace(last / spans_[above]);
    }
}

const row_reading *closed_rows::find(std::size_t level, std::uint32_t index) const {
    const auto at = rows_[level].find(index);
    return at == rows_[level].end() || !at->second ? nullptr : &*at->second;
}

bool closed_rows::has(std::size_t level, std::uint32_t index) const {
    return rows_[level].contains(index);
}

std::optional<std::uint32_t> closed_rows::next(std::uint32_t index) const {
    const auto at = rows_.back().lower_bound(index);
    return at == rows_.back().end() ? std::nullopt : std::optional(at->first);
}

void weighed_sum::add(const weighed_sum &more, double times) {
    value += times * more.value;
    variance += times * times * more.variance;
    epochs += more.epochs;
    reach += std::abs(times) * more.reach;
}

void weighed_sums::add(state &joined, const state &part, double times) {
    joined.s += part.s;
    joined.p += times * part.p;
    joined.s_s += part.s_s;
    joined.s_p += times * part.s_p;
    joined.p_p += times * times * part.p_p;
    joined.s_reach += part.s_reach;
    joined.p_reach += std::abs(times) * part.p_reach;
    joined.is_open = joined.is_open || part.is_open;
    joined.epochs += part.epochs;
}

// An open epoch weighs nothing: a reading of all says s, and nothing of p.
void weighed_sums::observe(state &at, const row_reading &row) {
    if (at.is_open) {
        at.s = row.value;
        at.s_s = row.variance;
        at.s_p = 0;
        at.s_reach = row.reach;
        at.is_open = false;
        return;
    }
    const double gain = 1 / (at.s_s + row.variance), surprise = row.value - at.s;
    at.p_reach += std::abs(at.s_p) * gain * (row.reach + at.s_reach);
    at.s_reach = gain * (row.variance * at.s_reach + at.s_s * row.reach);
    at.p += at.s_p * gain * surprise;
    at.p_p -= at.s_p * gain * at.s_p;
    at.s += at.s_s * gain * surprise;
    at.s_p *= row.variance * gain;
    at.s_s *= row.variance * gain;
}

weighed_sums::state weighed_sums::leaf(std::uint32_t epoch) const {
    const row_reading *row = rows_.find(0, epoch);
    const auto weight = weights_.find(epoch);
    if (row == nullptr || weight == weights_.end()) {
        return {.is_open = true};
    }
    const double w = weight->second, v = row->variance;
    return {row->value, w * row->value, v, w * v, w * w * v, row->reach, w * row->reach, false, 1};
}

// As of its own last epoch.
const weighed_sums::state &weighed_sums::whole(std::size_t level, std::uint32_t index) {
    const auto [at, is_new] = whole_[level].try_emplace(index);
    if (is_new) {
        const auto end = static_cast<std::uint32_t>(last_of(level, index));
        const auto begin = static_cast<std::uint32_t>(begin_of(level, index));
        at->second = level == 0 ? leaf(index) : within(level, index, {begin, end, end});
    }
    return at->second;
}

// As of the last epoch that is asked for, or its own where that is earlier.
weighed_sums::state weighed_sums::within(std::size_t level, std::uint32_t index,
                                         const asked &range) {
    state out;
    if (!rows_.has(level, index)) {
        return {.is_open = true};
    }
    const auto end =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(range.last, last_of(level, index)));
    for (std::uint32_t i = 0; i < parts(level); ++i) {
        const std::uint32_t part = index * parts(level) + i;
        const std::uint64_t begin = begin_of(level - 1, part), last = last_of(level - 1, part);
        if (!rows_.has(level - 1, part)) {
            out.is_open = true;
        } else if (last < range.first || begin > range.last) {
            state outside = whole(level - 1, part);
            outside.p = outside.s_p = outside.p_p = outside.p_reach = 0;
            outside.epochs = 0;
            add(out, outside, 1);
        } else if (begin >= range.first && last <= range.last) {
            add(out, whole(level - 1, part), std::pow(rate_, end - static_cast<double>(last)));
        } else {
            const double until = static_cast<double>(std::min<std::uint64_t>(range.last, last));
            add(out, within(level - 1, part, range), std::pow(rate_, end - until));
        }
    }
    if (const row_reading *row = rows_.find(level, index)) {
        observe(out, *row);
    }
    return out;
}

void weighed_sums::add_closed(weighed_sum &total, std::size_t level, std::uint32_t index,
                              const asked &range) {
    const std::uint64_t begin = begin_of(level, index), last = last_of(level, index);
    if (!rows_.has(level, index) || last < range.first || begin > range.last) {
        return;
    }
    if (last > range.known) {
        for (std::uint32_t i = 0; level > 0 && i < parts(level); ++i) {
            add_closed(total, level - 1, index * parts(level) + i, range);
        }
        return;
    }
    const bool is_inside = begin >= range.first && last <= range.last;
    const state found = is_inside ? whole(level, index) : within(level, index, range);
    const auto until = static_cast<double>(std::min<std::uint64_t>(range.last, last));
    total.add({found.p, found.p_p, found.epochs, found.p_reach},
              std::pow(rate_, range.last - until));
}

weighed_sum weighed_sums::sum(std::uint32_t first, std::uint32_t last, std::uint32_t known) {
    weighed_sum out;
    const std::uint32_t span = rows_.spans().back();
    for (auto index = rows_.next(first / span); index && *index <= last / span;
         index = rows_.next(*index + 1)) {
        add_closed(out, rows_.top(), *index, {first, last, known});
    }
    return out;
}

} // namespace sotto::aggregator
