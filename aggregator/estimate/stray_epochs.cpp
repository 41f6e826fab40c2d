// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/stray_epochs.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

// Of rising epochs: is one of them within so many of this one?
bool is_within(const std::vector<std::uint32_t> &of, std::uint32_t epoch, std::uint32_t distance) {
    const auto next = std::ranges::lower_bound(of, epoch);
    return (next != of.end() && *next - epoch <= distance) ||
           (next != of.begin() && epoch - *std::prev(next) <= distance);
}

} // namespace

epoch_choice choose_epochs(std::span<const epoch_record> all, const epoch_limits &limits) {
    std::uint64_t largest = 0;
    for (const epoch_record &one : all) {
        largest = std::max(largest, one.rows);
    }
    std::vector<std::uint32_t> usual;
    for (const epoch_record &one : all) {
        if (!is_stray(one.rows, largest)) {
            usual.push_back(one.epoch);
        }
    }
    const std::size_t too_many = usual.size() - std::min(usual.size(), limits.newest);
    epoch_choice out;
    for (const epoch_record &one : all) {
        if (!is_within(usual, one.epoch, limits.nearby)) {
            out.stray.insert(one.epoch);
            out.stray_reports += one.rows;
        } else if (too_many > 0 && one.epoch < usual[too_many]) {
            out.old.insert(one.epoch);
            out.old_reports += one.rows;
        } else {
            out.each.push_back(one);
        }
    }
    return out;
}

} // namespace sotto::aggregator
