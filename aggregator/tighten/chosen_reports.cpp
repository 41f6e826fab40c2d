// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tighten/chosen_reports.hpp"

#include <algorithm>
#include <tuple>

namespace sotto::aggregator {
namespace {

// Where two reports of one level differ, one is forged or broken: always the same one goes on.
bool is_before(std::size_t rank, const report &r, std::size_t best_rank, const report &best) {
    return std::tie(rank, r.value, r.cohort) < std::tie(best_rank, best.value, best.cohort);
}

struct outgoing {
    std::uint32_t epoch;
    release_id id;
    const report *source;
};

std::vector<outgoing> in_order(const chosen_reports &chosen) {
    std::vector<outgoing> out;
    for (const auto &[key, source] : chosen.releases()) {
        if (source) {
            out.push_back({key.first, chosen.way().other_id(*source), &*source});
        }
    }
    std::sort(out.begin(), out.end(), [](const outgoing &a, const outgoing &b) {
        return std::tie(a.epoch, a.id) < std::tie(b.epoch, b.id);
    });
    return out;
}

} // namespace

void chosen_reports::add(const std::vector<admitted_report> &batch) {
    for (const admitted_report &r : batch) {
        if (r.subject == &m_) {
            add(*r.content);
        }
    }
}

void chosen_reports::add(const report &r) {
    std::optional<report> &best = releases_[{r.epoch, r.release}];
    const std::optional<std::size_t> rank = rank_of(r);
    if (rank && (!best || is_before(*rank, r, *rank_of(*best), *best))) {
        best = r;
    }
}

// Less is better.
std::optional<std::size_t> chosen_reports::rank_of(const report &r) const {
    if ((r.flags & report_flags::selected) != 0) {
        return std::nullopt;
    }
    if (r.level < level_) {
        return m_.level_count() + level_ - r.level;
    }
    const bool will_do = r.level == level_ || way_.starts_at(r.level);
    return will_do ? std::optional<std::size_t>(r.level - level_) : std::nullopt;
}

tightened_counts write_tightened(const chosen_reports &chosen, report_writer &writer) {
    const std::vector<outgoing> ordered = in_order(chosen);
    tightened_counts counts;
    counts.left_out = chosen.releases().size() - ordered.size();
    for (const outgoing &next : ordered) {
        const report &source = *next.source;
        if (source.level > chosen.level()) {
            writer.add(source, next.id, chosen.level(), chosen.way().tightened(source));
            ++counts.tightened;
        } else {
            writer.add(source, next.id, source.level, chosen.way().words(source));
            ++counts.as_they_are;
        }
    }
    writer.finish();
    return counts;
}

} // namespace sotto::aggregator
