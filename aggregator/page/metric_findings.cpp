// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/metric_findings.hpp"

#include "aggregator/estimate/stray_epochs.hpp"

namespace sotto::aggregator {

std::vector<answered_epoch> answered_epochs(const metric_findings &found) {
    std::vector<answered_epoch> epochs;
    for_each_group(found.rows, [&](row_group group) {
        const estimate_row &r = group.front();
        epochs.push_back({r.epoch, r.result.reports, r.highest, r.mixed});
    });
    for (const unanswered &question : found.without_rows) {
        epochs.push_back({question.epoch, question.reports, question.level, question.mixed});
    }
    std::vector<std::uint64_t> reports;
    for (const answered_epoch &epoch : epochs) {
        if (epoch.epoch) {
            reports.push_back(epoch.reports);
        }
    }
    const std::uint64_t usual = usual_reports(std::move(reports));
    std::erase_if(epochs,
                  [&](auto &epoch) { return epoch.epoch && is_stray(epoch.reports, usual); });
    return epochs;
}

std::set<std::uint32_t> epoch_numbers(std::span<const answered_epoch> epochs) {
    std::set<std::uint32_t> numbers;
    for (const answered_epoch &epoch : epochs) {
        if (epoch.epoch) {
            numbers.insert(*epoch.epoch);
        }
    }
    return numbers;
}

} // namespace sotto::aggregator
