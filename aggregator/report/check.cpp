// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/check.hpp"

#include "aggregator/base/little_endian.hpp"
#include "aggregator/mechanism/mechanism.hpp"

namespace sotto::aggregator {

report_rules::report_rules(const metric &m) : report_rules(m, mechanism_of(m).published(m)) {}

report_rules::report_rules(const metric &m, const published_values &values)
    : levels_(static_cast<std::uint32_t>(m.level_count())), size_(values.size),
      can_be_selected_(m.request_level > 0 && values.kind == value_kind::index && !m.range() &&
                       !values.names_cohort),
      kind_(values.kind), unused_bits_(unused_bits_of(values)),
      cohorts_(values.names_cohort ? values.cohorts : 1), min_(values.least), max_(values.most) {
    if (const sums_over_time *sums = mechanism_of(m).over_time(m)) {
        sums_ = *sums;
    }
}

// A counter's numbers are those of the rows that close in the epoch, from the first on.
bool report_rules::has_length(const report_view &r) const {
    return !sums_ || (!r.bytes.empty() && r.bytes.size() / 4 <= sums_->closing(r.epoch));
}

bool report_rules::fits(const report_view &r) const {
    const auto published = [&](std::uint32_t number) {
        return static_cast<std::int32_t>(number) >= min_ &&
               static_cast<std::int32_t>(number) <= max_;
    };
    switch (kind_) {
    case value_kind::index:
        return r.scalar < size_;
    case value_kind::number:
        return published(r.scalar);
    case value_kind::bits:
        return (r.bytes.back() & unused_bits_) == 0;
    case value_kind::numbers:
        if (!has_length(r)) {
            return false;
        }
        for (std::size_t i = 0; i < r.bytes.size(); i += 4) {
            if (!published(get_little_endian(&r.bytes[i]))) {
                return false;
            }
        }
        return true;
    }
    return false;
}

std::optional<reason> report_rules::check_all(const report_view &r) const {
    if (r.level >= levels_) {
        return reason::unknown_level;
    }
    // Not in force at the first level, and from the level that was asked for on whatever relaxed
    // it.
    if ((r.flags & report_flags::selected) != 0 && (!can_be_selected_ || r.level == 0)) {
        return reason::not_selectable;
    }
    if (!fits(r)) {
        return reason::value_range;
    }
    return r.cohort < cohorts_ ? std::nullopt : std::optional(reason::value_range);
}

std::variant<const metric *, reason> check_report(const report &r, const registry &with) {
    const metric *m = with.find(r.metric);
    if (m == nullptr) {
        return reason::unknown_metric;
    }
    std::vector<std::uint8_t> bytes;
    if (const auto why = report_rules(*m).check(view_of(r, bytes))) {
        return *why;
    }
    return m;
}

} // namespace sotto::aggregator
