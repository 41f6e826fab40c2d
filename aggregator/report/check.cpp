// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/check.hpp"

#include "aggregator/base/little_endian.hpp"

#include "sotto/registry.h"

namespace sotto::aggregator {

report_rules::report_rules(const metric &m)
    : levels_(static_cast<std::uint32_t>(m.level_count())), size_(m.value_size()),
      can_be_selected_(
          m.request_level > 0 &&
          (m.type == SOTTO_TYPE_BOOLEAN || m.mechanism == SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE)),
      bytes_(m.value_bytes()), kind_(m.kind()),
      unused_bits_(static_cast<std::uint8_t>(size_ % 8 == 0 ? 0 : 0xff << size_ % 8)) {
    if (const auto *table = std::get_if<discrete_laplace_table>(&m.table)) {
        min_ = table->publish_min;
        max_ = table->publish_max;
    }
    // Reports of strings say which cohort their bits were hashed for; no other report has one.
    if (m.mechanism == SOTTO_MECHANISM_RAPPOR) {
        cohorts_ = std::get<rappor_table>(m.table).cohorts;
    }
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
        return r.bytes.size() == bytes_ && (r.bytes.back() & unused_bits_) == 0;
    case value_kind::numbers:
        if (r.bytes.size() != bytes_) {
            return false;
        }
        for (std::size_t i = 0; i < bytes_; i += 4) {
            if (!published(get_little_endian(&r.bytes[i]))) {
                return false;
            }
        }
        return true;
    }
    return false;
}

std::optional<reason> report_rules::check(const report_view &r) const {
    if (r.level >= levels_) {
        return reason::unknown_level;
    }
    // Not in force at the first level, and from the level that was asked for on whatever relaxed
    // it.
    if ((r.flags & report_flags::selected) != 0 && (!can_be_selected_ || r.level == 0)) {
        return reason::not_selectable;
    }
    if (r.kind != kind_) {
        return reason::wrong_value_type;
    }
    if (!fits(r)) {
        return reason::value_range;
    }
    if (cohorts_ == 0) {
        return r.has_cohort ? std::optional(reason::value_range) : std::nullopt;
    }
    if (!r.has_cohort) {
        return reason::missing_field;
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
