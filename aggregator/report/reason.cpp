// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/reason.hpp"

#include "aggregator/base/text.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sotto::aggregator {

const char *reason_text(reason why) {
    switch (why) {
    case reason::truncated:
        return "truncated or not a report file";
    case reason::malformed:
        return "malformed";
    case reason::missing_field:
        return "missing field";
    case reason::not_canonical:
        return "not canonical";
    case reason::unknown_version:
        return "unknown version";
    case reason::unknown_registry:
        return "unknown registry";
    case reason::sealed:
        return "sealed";
    case reason::release_length:
        return "wrong release length";
    case reason::unknown_metric:
        return "unknown metric";
    case reason::unknown_level:
        return "level outside the ladder";
    case reason::wrong_value_type:
        return "wrong value type";
    case reason::value_range:
        return "value out of range";
    case reason::epoch_range:
        return "epoch out of range";
    case reason::duplicate:
        return "duplicate";
    case reason::conflict:
        return "conflict";
    case reason::late:
        return "too late: the epoch is closed";
    }
    return "unknown reason";
}

void rejections::add(const rejections &other) {
    for (std::size_t i = 0; i < reason_count; ++i) {
        counts_[i] += other.counts_[i];
    }
}

std::uint64_t rejections::total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::string rejections::text() const {
    std::vector<std::size_t> order(reason_count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return counts_[a] > counts_[b]; });
    std::vector<std::string> parts;
    for (const std::size_t i : order) {
        if (counts_[i] > 0) {
            parts.push_back(grouped(counts_[i]) + " " + reason_text(static_cast<reason>(i)));
        }
    }
    return joined(parts);
}

} // namespace sotto::aggregator
