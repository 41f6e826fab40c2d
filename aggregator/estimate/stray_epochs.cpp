// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/stray_epochs.hpp"

#include <algorithm>
#include <functional>

namespace sotto::aggregator {
namespace {

// Is one of these rising epochs within so many of this one?
bool is_within(const std::vector<std::uint32_t> &epochs, std::uint32_t epoch,
               std::uint32_t distance) {
    const auto next = std::ranges::lower_bound(epochs, epoch);
    return (next != epochs.end() && *next - epoch <= distance) ||
           (next != epochs.begin() && epoch - *std::prev(next) <= distance);
}

bool is_next_to_nothing(std::uint64_t reports) { return reports < 10; }

} // namespace

std::optional<std::uint64_t> shared_size(std::vector<std::uint64_t> of_epochs) {
    std::erase_if(of_epochs, is_next_to_nothing);
    std::ranges::sort(of_epochs, std::greater());
    for (std::size_t i = 0; i + 2 < of_epochs.size(); ++i) {
        if (!is_stray(of_epochs[i + 2], of_epochs[i])) {
            return of_epochs[i];
        }
    }
    return std::nullopt;
}

std::uint64_t size_to_end_by(const std::vector<std::uint64_t> &of_epochs, std::uint64_t most) {
    const std::uint64_t shared = shared_size(of_epochs).value_or(most);
    std::uint64_t small = 0;
    for (const std::uint64_t reports : of_epochs) {
        small += is_stray(reports, most) ? reports : 0;
    }
    return is_stray(shared, most) && small < most ? most : shared;
}

std::uint64_t usual_reports(std::vector<std::uint64_t> of_epochs) {
    if (const auto shared = shared_size(of_epochs)) {
        return *shared;
    }
    std::erase_if(of_epochs, is_next_to_nothing);
    return of_epochs.empty() ? 0 : std::ranges::min(of_epochs);
}

std::uint64_t usual_reports(std::span<const epoch_record> of_epochs) {
    std::vector<std::uint64_t> sizes;
    for (const epoch_record &epoch : of_epochs) {
        sizes.push_back(epoch.rows);
    }
    return usual_reports(std::move(sizes));
}

epoch_choice choose_epochs(std::span<const epoch_record> epochs, const epoch_limits &limits) {
    const std::uint64_t usual_size = usual_reports(epochs);
    std::vector<std::uint32_t> usual;
    for (const epoch_record &epoch : epochs) {
        if (!is_stray(epoch.rows, usual_size)) {
            usual.push_back(epoch.epoch);
        }
    }
    const std::size_t too_many = usual.size() - std::min(usual.size(), limits.newest);
    epoch_choice out;
    for (const epoch_record &epoch : epochs) {
        if (!is_within(usual, epoch.epoch, limits.nearby)) {
            out.stray.insert(epoch.epoch);
            out.stray_reports += epoch.rows;
        } else if (too_many > 0 && epoch.epoch < usual[too_many]) {
            out.old.insert(epoch.epoch);
            out.old_reports += epoch.rows;
        } else {
            out.each.push_back(epoch);
        }
    }
    return out;
}

} // namespace sotto::aggregator
