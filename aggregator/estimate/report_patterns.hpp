// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_REPORT_PATTERNS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_REPORT_PATTERNS_HPP

#include "aggregator/estimate/joint.hpp"
#include "aggregator/estimate/report_likelihood.hpp"

#include <map>
#include <tuple>

namespace sotto::aggregator {

// A report as it is stored (aggregator/store/row.hpp), but for who made it.
struct report_pattern {
    std::uint32_t level = 0, cohort = 0;
    std::span<const std::uint8_t> value;
};

// Pairs of reports, each different one once.
class report_patterns {
  public:
    // Both must outlive it, and what is added too.
    report_patterns(report_likelihood &first, report_likelihood &second)
        : sides_{side{first, {}}, side{second, {}}} {}

    // Errors: usage_error where there are more different ones than fit in 4 GiB.
    void add(const report_pattern &first, const report_pattern &second);
    report_pairs finish();

  private:
    struct content_order {
        bool operator()(const report_pattern &a, const report_pattern &b) const;
    };
    struct side {
        report_likelihood &by;
        std::map<report_pattern, std::uint32_t, content_order> rows;

        std::uint32_t row_of(const report_pattern &report);
        report_pairs::matrix matrix();
        std::size_t bytes() const;
    };

    side sides_[2];
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts_;
};

} // namespace sotto::aggregator
#endif
