// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/compact.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/store/merge.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace sotto::aggregator {
namespace {

constexpr std::size_t segments_max = 8; // of a size, then they become one of the next
constexpr unsigned size_bits = 3;

// Rewrites segments into one, of the rows that `keep` wants. The new file counts from the commit
// on, the old ones no longer; a cut leaves one or the other.
template <typename Keep>
void rewrite(const store &in, const metric &of, std::vector<segment> old, const char *command,
             const Keep &keep) {
    for (const segment &one : old) {
        one.verify();
    }
    segment_writer writer(in.segment_directory(), of, in.book().next_commit());
    merged_rows rows(old, std::nullopt);
    for (row_view one = rows.next(); !one.empty(); one = rows.next()) {
        if (keep(one)) {
            writer.add({one, one.size()});
        }
    }
    const std::optional<segment_record> made = writer.commit();
    transaction all = in.book().begin();
    for (const segment &one : old) {
        in.book().remove(one.record());
    }
    if (made) {
        in.book().add(*made);
    }
    in.book().log(command, 0);
    all.commit();
    in.remove_unrecorded();
}

} // namespace

void compact(const store &in, const metric &of) {
    std::map<unsigned, std::vector<segment>> by_size;
    for (segment &one : in.segments(of)) {
        const auto size = static_cast<unsigned>(std::bit_width(one.record().rows)) / size_bits;
        by_size[size].push_back(std::move(one));
    }
    for (auto &[size, alike] : by_size) {
        if (alike.size() >= segments_max) {
            rewrite(in, of, std::move(alike), "compact", [](row_view) { return true; });
        }
    }
}

void remove_rows_through(const store &in, std::uint32_t epoch) {
    for (const metric &m : in.metrics()) {
        for (segment &one : in.segments(m)) {
            if (one.record().epoch_min > epoch) {
                continue;
            }
            std::vector<segment> alone;
            alone.push_back(std::move(one));
            rewrite(in, m, std::move(alone), "expire",
                    [&](row_view r) { return epoch_of(r) > epoch; });
        }
    }
}

} // namespace sotto::aggregator
