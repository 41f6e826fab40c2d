// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/metric_findings.hpp"

#include "aggregator/estimate/stray_epochs.hpp"

namespace sotto::aggregator {

std::vector<answered_epoch> answered_epochs(const metric_findings &found) {
    std::vector<answered_epoch> all;
    for_each_group(found.rows, [&](row_group group) {
        const estimate_row &r = group.front();
        all.push_back({r.epoch, r.result.reports, r.highest, r.mixed});
    });
    for (const unanswered &one : found.without_rows) {
        all.push_back({one.epoch, one.reports, one.level, one.mixed});
    }
    std::vector<std::uint64_t> reports;
    for (const answered_epoch &one : all) {
        if (one.epoch) {
            reports.push_back(one.reports);
        }
    }
    const std::uint64_t usual = usual_reports(std::move(reports));
    std::erase_if(all, [&](auto &one) { return one.epoch && is_stray(one.reports, usual); });
    return all;
}

std::set<std::uint32_t> epoch_numbers(std::span<const answered_epoch> all) {
    std::set<std::uint32_t> numbers;
    for (const answered_epoch &one : all) {
        if (one.epoch) {
            numbers.insert(*one.epoch);
        }
    }
    return numbers;
}

} // namespace sotto::aggregator
