// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/holdings.hpp"

#include "aggregator/tally/count.hpp"

#include <algorithm>
#include <set>

namespace sotto::aggregator {
namespace {

struct holding {
    std::uint64_t releases = 0;
    std::set<std::uint32_t> epochs, levels;
};

holding held_of(const store &from, const metric &m) {
    holding out;
    metric_epochs counted(from, m);
    for (const epoch_record &epoch_held : counted.epochs()) {
        const epoch_tally found = counted.tally(epoch_held);
        out.epochs.insert(epoch_held.epoch);
        // A release that was relaxed was published at lower levels too, or was not.
        for (std::uint32_t level = 0; level < found.highest.size(); ++level) {
            out.releases += found.highest[level].reports;
            if (found.highest[level].reports + found.lower[level].reports > 0) {
                out.levels.insert(level);
            }
        }
    }
    return out;
}

// Each level that was published of a release is one.
std::uint64_t reports_of(const store &from, const metric &m, std::optional<std::uint32_t> epoch) {
    std::uint64_t sum = 0;
    for (const epoch_record &record : from.book().epochs(m.fingerprint)) {
        sum += !epoch || record.epoch == *epoch ? record.rows : 0;
    }
    return sum;
}

source_registry source_of(const registry &r) { return {r.name, r.version, r.fingerprint}; }

remark held_remark(const metric &m, std::optional<source_registry> where, holding held) {
    return {nullptr,
            {},
            metric_held{m.name, std::move(where), held.releases, std::move(held.epochs),
                        std::move(held.levels)}};
}

std::set<std::uint32_t> epochs_of(const store &from, const metric &m) {
    std::set<std::uint32_t> out;
    for (const epoch_record &record : from.book().epochs(m.fingerprint)) {
        out.insert(record.epoch);
    }
    return out;
}

} // namespace

std::optional<no_reports_of_epoch> which_epochs_are_held(const store &from, const registry &asked,
                                                         const std::vector<const metric *> &metrics,
                                                         std::uint32_t epoch) {
    std::set<std::uint32_t> wanted, others;
    for (const metric *m : metrics) {
        wanted.merge(epochs_of(from, *m));
    }
    for (const metric &m : asked.metrics) {
        others.merge(epochs_of(from, m));
    }
    if (wanted.empty() && others.empty()) {
        return std::nullopt;
    }
    const bool of_these = !wanted.empty();
    return no_reports_of_epoch{epoch, of_these ? std::move(wanted) : std::move(others), of_these};
}

std::vector<remark> what_is_held(const store &from, const registry &asked,
                                 const std::vector<const metric *> &metrics) {
    std::vector<remark> out;
    std::set<std::uint32_t> seen; // fingerprints: a metric may stand in several registries
    for (const metric *m : metrics) {
        seen.insert(m->fingerprint);
        if (holding held = held_of(from, *m); held.releases > 0) {
            out.push_back(held_remark(*m, {}, std::move(held)));
        }
    }
    if (!out.empty()) {
        return out; // there are reports, but of other epochs or levels
    }
    for (const registry &kept : from.registries()) {
        const registry other = from.completed(kept);
        const bool is_asked = other.fingerprint == asked.fingerprint;
        for (const metric &m : other.metrics) {
            if (seen.insert(m.fingerprint).second) {
                if (holding held = held_of(from, m); held.releases > 0) {
                    out.push_back(
                        held_remark(m, is_asked ? std::nullopt : std::optional(source_of(other)),
                                    std::move(held)));
                }
            }
        }
    }
    return out;
}

std::vector<remark> what_is_not_counted(const store &from, const registry &asked,
                                        const std::vector<const metric *> &metrics,
                                        std::optional<std::uint32_t> epoch) {
    std::set<std::uint32_t> seen;
    for (const metric &m : asked.metrics) {
        seen.insert(m.fingerprint);
    }
    std::vector<remark> out;
    unknown_metrics unknown;
    for (const registry &kept : from.registries()) {
        for (const metric &m : kept.metrics) {
            const std::uint64_t reports =
                seen.insert(m.fingerprint).second ? reports_of(from, m, epoch) : 0;
            const metric *namesake = asked.find(m.name);
            if (reports > 0 && namesake == nullptr) {
                unknown.metrics.push_back({m.name, reports, source_of(kept)});
            } else if (reports > 0 && std::ranges::count(metrics, namesake) > 0) {
                out.push_back({namesake, {}, other_definition{reports, source_of(kept)}});
            }
        }
    }
    if (!unknown.metrics.empty() && metrics.size() == asked.metrics.size()) {
        out.push_back({nullptr, {}, std::move(unknown)});
    }
    return out;
}

} // namespace sotto::aggregator
