// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/counted_epochs.hpp"

#include <algorithm>
#include <functional>

namespace sotto::aggregator {
namespace {

void add_counts(metric_tally &sum, const metric_tally &from) {
    const auto add = [](std::vector<std::uint64_t> &a, const std::vector<std::uint64_t> &b) {
        std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::plus<>());
    };
    for (std::size_t level = 0; level < sum.size(); ++level) {
        sum[level].reports += from[level].reports;
        add(sum[level].ones, from[level].ones);
        add(sum[level].cohorts, from[level].cohorts);
        for (std::size_t i = 0; i < sum[level].numbers.size(); ++i) {
            number_count &a = sum[level].numbers[i];
            const number_count &b = from[level].numbers[i];
            a = {a.reports + b.reports, a.sum + b.sum, a.at_min + b.at_min, a.at_max + b.at_max};
        }
    }
}

double reports_of(const metric_tally &tally) {
    double n = 0;
    for (const level_tally &at : tally) {
        n += static_cast<double>(at.reports);
    }
    return n;
}

// The epoch among rising ones, or none.
std::span<const epoch_record> find_epoch(std::span<const epoch_record> epochs,
                                         std::uint32_t epoch) {
    const auto found = std::lower_bound(
        epochs.begin(), epochs.end(), epoch,
        [](const epoch_record &record, std::uint32_t wanted) { return record.epoch < wanted; });
    const bool is_there = found != epochs.end() && found->epoch == epoch;
    return epochs.subspan(static_cast<std::size_t>(found - epochs.begin()), is_there ? 1 : 0);
}

} // namespace

counted_epochs::counted_epochs(const store &from, const metric &m, const selection &what)
    : epochs_of_metric_(from, m), what_(what), epochs_(epochs_of_metric_.epochs()) {
    if (what.epoch) {
        epochs_ = find_epoch(epochs_, *what.epoch);
    }
}

std::optional<counted_epoch> counted_epochs::read(const epoch_record &record) {
    epoch_tally found = epochs_of_metric_.tally(record);
    unexplained_ += found.unexplained;
    counted_epoch wanted;
    for (const auto &[r, count] : found.selected) {
        wanted.selected.push_back({r.low_level, r.low_value, r.level, r.value, count});
    }
    wanted.tally = what_.level ? published_at(found, *what_.level) : std::move(found.highest);
    return reports_of(wanted.tally) > 0 ? std::optional(std::move(wanted)) : std::nullopt;
}

std::optional<counted_epoch> counted_epochs::read(std::uint32_t epoch) {
    const auto found = find_epoch(epochs_, epoch);
    return found.empty() ? std::nullopt : read(found.front());
}

void epoch_pool::add(const metric_tally &epoch) {
    if (sum_.empty()) {
        sum_ = epoch;
    } else {
        add_counts(sum_, epoch);
    }
    reports_.push_back(reports_of(epoch));
}

pooled_epochs epoch_pool::finish() {
    // Sorted, a count is the smaller of a pair with each count behind it.
    std::ranges::sort(reports_);
    double together = 0, reports = 0;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
        reports += reports_[i];
        together += reports_[i] * static_cast<double>(2 * (reports_.size() - i) - 1);
    }
    return {std::move(sum_), reports > 0 ? together / reports : 1};
}

} // namespace sotto::aggregator
