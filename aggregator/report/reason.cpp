// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/reason.hpp"

#include "aggregator/base/text.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sotto::aggregator {
namespace {

constexpr std::size_t ids_shown_max = 4;

} // namespace

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
        return "sealed, and no --key was given";
    case reason::unknown_key:
        return "sealed for a key that is not here";
    case reason::retired_key:
        return "sealed for a retired key";
    case reason::not_opened:
        return "sealed, and can't be opened";
    case reason::unknown_metric:
        return "unknown metric";
    case reason::unknown_level:
        return "level outside the ladder";
    case reason::value_range:
        return "value out of range";
    case reason::not_selectable:
        return "marked as selected by a request, which no request can";
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
    for (const auto &[why, ids] : other.ids_) {
        for (const std::uint32_t id : ids) {
            note_id(why, id);
        }
    }
}

void rejections::add_id(reason why, std::uint32_t id) {
    add(why);
    note_id(why, id);
}

// Ids come from outside: no more are kept than will be shown, and that there are more.
void rejections::note_id(reason why, std::uint32_t id) {
    std::set<std::uint32_t> &ids = ids_[why];
    if (ids.size() <= ids_shown_max) {
        ids.insert(id);
    }
}

// " (0e1f2d3c, 8a1b2c3d)", and what to do where a registry is missing.
std::string rejections::ids_text(reason why) const {
    const auto found = ids_.find(why);
    if (found == ids_.end()) {
        return "";
    }
    std::vector<std::string> ids;
    for (const std::uint32_t id : found->second) {
        ids.push_back(ids.size() < ids_shown_max ? fingerprint_text(id) : "...");
    }
    const char *advice = why == reason::unknown_registry
                             ? "; give --registry the metrics.json with this fingerprint"
                             : "";
    return " (" + joined(ids) + advice + ")";
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
            const auto why = static_cast<reason>(i);
            parts.push_back(grouped(counts_[i]) + " " + reason_text(why) + ids_text(why));
        }
    }
    return joined(parts);
}

} // namespace sotto::aggregator
