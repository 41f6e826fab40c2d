// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/metric.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>

namespace sotto::aggregator {
const level_law &metric::law(std::size_t level) const {
    return level < levels.size() ? levels[level].law : forward[level - levels.size()].law;
}

const decimal &metric::realised(std::size_t level) const {
    return level < levels.size() ? levels[level].realised : forward[level - levels.size()].realised;
}

std::optional<std::size_t> metric::parts_from(const metric &other) const {
    const auto same = [](const forward_level &a, const forward_level &b) {
        return a.fingerprint == b.fingerprint && a.table == b.table;
    };
    const std::size_t both = std::min(forward.size(), other.forward.size());
    for (std::size_t i = 0; i < both; ++i) {
        if (!same(forward[i], other.forward[i])) {
            return levels.size() + i;
        }
    }
    return std::nullopt;
}

std::size_t metric::highest_start() const {
    return policy.empty() ? 0 : *std::max_element(policy.begin(), policy.end());
}

std::uint32_t metric::cost(std::size_t level, std::uint32_t releases) const {
    return cost_reports == 0 ? costs[level]
                             : costs[level * cost_reports + std::min(releases, cost_reports) - 1];
}

value_kind metric::kind() const { return mechanism_of(*this).published(*this).kind; }

std::uint32_t metric::value_size() const {
    const published_values values = mechanism_of(*this).published(*this);
    return values.values > 0 ? values.values : values.size;
}

std::optional<number_range> metric::range() const { return mechanism_of(*this).range(*this); }

std::size_t metric::value_bytes() const {
    return value_bytes_of(mechanism_of(*this).published(*this));
}

} // namespace sotto::aggregator
