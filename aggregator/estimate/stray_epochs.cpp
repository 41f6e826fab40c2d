// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/stray_epochs.hpp"

#include <algorithm>
#include <functional>

namespace sotto::aggregator {
namespace {

// Of rising epochs: is one of them within so many of this one?
bool is_within(const std::vector<std::uint32_t> &of, std::uint32_t epoch, std::uint32_t distance) {
    const auto next = std::ranges::lower_bound(of, epoch);
    return (next != of.end() && *next - epoch <= distance) ||
           (next != of.begin() && epoch - *std::prev(next) <= distance);
}

} // namespace

std::uint64_t usual_reports(std::vector<std::uint64_t> of_epochs) {
    std::erase_if(of_epochs, [](std::uint64_t reports) { return reports < 10; });
    if (of_epochs.empty()) {
        return 0;
    }
    const std::size_t third = std::min<std::size_t>(2, of_epochs.size() - 1);
    const auto at = of_epochs.begin() + static_cast<std::ptrdiff_t>(third);
    std::ranges::nth_element(of_epochs, at, std::greater());
    return *at;
}

std::uint64_t usual_reports(std::span<const epoch_record> of_epochs) {
    std::vector<std::uint64_t> all;
    for (const epoch_record &one : of_epochs) {
        all.push_back(one.rows);
    }
    return usual_reports(std::move(all));
}

epoch_choice choose_epochs(std::span<const epoch_record> all, const epoch_limits &limits) {
    const std::uint64_t usual_size = usual_reports(all);
    std::vector<std::uint32_t> usual;
    for (const epoch_record &one : all) {
        if (!is_stray(one.rows, usual_size)) {
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
