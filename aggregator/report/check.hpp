// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_CHECK_HPP
#define SOTTO_AGGREGATOR_REPORT_CHECK_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/decode.hpp"
#include "aggregator/report/parse.hpp"

namespace sotto::aggregator {

// The rules for reports of a metric, worked out once.
class report_rules {
  public:
    explicit report_rules(const metric &m);

    // Why it is none of this metric's; nothing when it is one. Its metric id and the width of its
    // value are not looked at.
    std::optional<reason> check(const report_view &r) const {
        return is_usual(r) ? std::nullopt : check_all(r);
    }

  private:
    // Nearly every report is: an index or bits, and nothing to be said of it.
    bool is_usual(const report_view &r) const {
        return r.level < levels_ && r.flags == 0 && r.cohort < cohorts_ &&
               (kind_ == value_kind::bits    ? (r.bytes.back() & unused_bits_) == 0
                : kind_ == value_kind::index ? r.scalar < size_
                                             : false);
    }
    std::optional<reason> check_all(const report_view &r) const;
    report_rules(const metric &m, const published_values &values);
    bool has_length(const report_view &r) const;
    bool fits(const report_view &r) const;

    std::uint32_t levels_, size_;
    bool can_be_selected_; // by a request, for what was published
    value_kind kind_;
    std::uint8_t unused_bits_;           // the last byte's
    std::uint32_t cohorts_;              // 1: reports have none
    std::optional<sums_over_time> sums_; // nothing where a value is of its epoch alone
    std::int32_t min_, max_;             // numbers: their range
};

// The report's metric when the report is one that this registry admits, else why not.
std::variant<const metric *, reason> check_report(const report &r, const registry &with);

} // namespace sotto::aggregator
#endif
