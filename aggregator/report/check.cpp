// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/check.hpp"

namespace sotto::aggregator {

std::variant<const metric *, reason> check_report(const report &r, const registry &with) {
    const metric *m = with.find(r.metric);
    if (m == nullptr) {
        return reason::unknown_metric;
    }
    if (r.level >= m->levels.size()) {
        return reason::unknown_level;
    }
    const std::uint32_t *index = std::get_if<std::uint32_t>(&r.value);
    if (index == nullptr) {
        return reason::wrong_value_type;
    }
    // A boolean is 0 or 1, and only strings have cohorts.
    if (*index > 1 || r.cohort != 0) {
        return reason::value_range;
    }
    return m;
}

} // namespace sotto::aggregator
