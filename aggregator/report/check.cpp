// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/check.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <optional>

namespace sotto::aggregator {
namespace {

// Why a value is none that this metric publishes.
struct value_check {
    const metric &m;

    std::optional<reason> operator()(std::uint32_t index) const {
        if (m.kind() != value_kind::index) {
            return reason::wrong_value_type;
        }
        return in_range(index < m.value_size());
    }

    std::optional<reason> operator()(std::int32_t number) const {
        if (m.kind() != value_kind::number) {
            return reason::wrong_value_type;
        }
        return in_range(published(number));
    }

    std::optional<reason> operator()(const bit_string &bits) const {
        if (m.kind() != value_kind::bits) {
            return reason::wrong_value_type;
        }
        const std::uint32_t used = m.value_size() % 8; // of the last byte; 0 is all of it
        return in_range(bits.size() == m.value_bytes() && (used == 0 || bits.back() >> used == 0));
    }

    std::optional<reason> operator()(const number_list &numbers) const {
        if (m.kind() != value_kind::numbers) {
            return reason::wrong_value_type;
        }
        return in_range(
            numbers.size() == m.value_size() &&
            std::all_of(numbers.begin(), numbers.end(), [&](auto n) { return published(n); }));
    }

  private:
    static std::optional<reason> in_range(bool fits) {
        return fits ? std::nullopt : std::optional(reason::value_range);
    }

    bool published(std::int32_t number) const {
        const auto &table = std::get<discrete_laplace_table>(m.table);
        return number >= table.publish_min && number <= table.publish_max;
    }
};

// Reports of strings say which cohort their bits were hashed for; no other report has one.
std::optional<reason> check_cohort(const std::optional<std::uint32_t> &cohort, const metric &m) {
    if (m.mechanism != SOTTO_MECHANISM_RAPPOR) {
        return cohort ? std::optional(reason::value_range) : std::nullopt;
    }
    if (!cohort) {
        return reason::missing_field;
    }
    return *cohort < std::get<rappor_table>(m.table).cohorts ? std::nullopt
                                                             : std::optional(reason::value_range);
}

} // namespace

std::variant<const metric *, reason> check_report(const report &r, const registry &with) {
    const metric *m = with.find(r.metric);
    if (m == nullptr) {
        return reason::unknown_metric;
    }
    if (r.level >= m->level_count()) {
        return reason::unknown_level;
    }
    if (const auto why = std::visit(value_check{*m}, r.value)) {
        return *why;
    }
    if (const auto why = check_cohort(r.cohort, *m)) {
        return *why;
    }
    return m;
}

} // namespace sotto::aggregator
