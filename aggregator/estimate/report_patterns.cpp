// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/report_patterns.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t bytes_max = std::size_t{4} << 30;

} // namespace

bool report_patterns::content_order::operator()(const report_pattern &a,
                                                const report_pattern &b) const {
    return a.level != b.level     ? a.level < b.level
           : a.cohort != b.cohort ? a.cohort < b.cohort
                                  : std::ranges::lexicographical_compare(a.value, b.value);
}

std::uint32_t report_patterns::side::row_of(const report_pattern &report) {
    return rows.try_emplace(report, static_cast<std::uint32_t>(rows.size())).first->second;
}

std::size_t report_patterns::side::bytes() const {
    return rows.size() * by.values().size() * sizeof(double);
}

report_pairs::matrix report_patterns::side::matrix() {
    report_pairs::matrix out(static_cast<Eigen::Index>(rows.size()),
                             static_cast<Eigen::Index>(by.values().size()));
    for (const auto &[report, row] : rows) {
        const std::vector<float> likelihood =
            by.of_report(report.level, report.cohort, report.value);
        std::copy(likelihood.begin(), likelihood.end(), out.row(row).data());
    }
    return out;
}

void report_patterns::add(const report_pattern &first, const report_pattern &second) {
    ++counts_[{sides_[0].row_of(first), sides_[1].row_of(second)}];
    if (sides_[0].bytes() + sides_[1].bytes() > bytes_max) {
        throw usage_error(fmt::format(
            "{} and {} different reports of {} and {} values do not fit in 4 GiB",
            grouped(sides_[0].rows.size()), grouped(sides_[1].rows.size()),
            grouped(sides_[0].by.values().size()), grouped(sides_[1].by.values().size())));
    }
}

report_pairs report_patterns::finish() {
    report_pairs out = {sides_[0].matrix(), sides_[1].matrix(), {}};
    out.pairs.reserve(counts_.size());
    for (const auto &[rows, count] : counts_) {
        out.pairs.push_back({rows.first, rows.second, count});
    }
    return out;
}

} // namespace sotto::aggregator
