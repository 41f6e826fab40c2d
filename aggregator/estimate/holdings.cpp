// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/holdings.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/tally/count.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

struct holding {
    std::uint64_t releases = 0;
    std::set<std::uint32_t> epochs, levels;
};

holding held_of(const store &from, const metric &m) {
    holding out;
    metric_epochs all(from, m);
    for (const epoch_record &one : all.epochs()) {
        const epoch_tally found = all.tally(one);
        out.epochs.insert(one.epoch);
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

std::string line(const std::string &where, const metric &m, const holding &held) {
    return fmt::format("the store holds {} of {} ({}), {}, {}", counted(held.releases, "release"),
                       m.name, where, in_runs("epoch", held.epochs), in_runs("level", held.levels));
}

} // namespace

std::vector<std::string> say_what_is_held(const store &from, const registry &asked,
                                          const std::vector<const metric *> &metrics) {
    std::vector<std::string> lines;
    std::set<std::uint32_t> seen; // fingerprints: a metric may stand in several registries
    for (const metric *m : metrics) {
        seen.insert(m->fingerprint);
        if (const holding held = held_of(from, *m); held.releases > 0) {
            lines.push_back(line("this registry", *m, held));
        }
    }
    if (!lines.empty()) {
        return lines; // what was asked for, only not at this epoch or level
    }
    for (const registry &kept : from.registries()) {
        const registry other = from.completed(kept);
        const std::string where =
            other.fingerprint == asked.fingerprint
                ? std::string("this registry")
                : fmt::format("registry {} version {}, {}", other.name, other.version,
                              fingerprint_text(other.fingerprint));
        for (const metric &m : other.metrics) {
            if (seen.insert(m.fingerprint).second) {
                if (const holding held = held_of(from, m); held.releases > 0) {
                    lines.push_back(line(where, m, held));
                }
            }
        }
    }
    return lines;
}

} // namespace sotto::aggregator
