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

// Each level that was published of a release is one.
std::uint64_t reports_of(const store &from, const metric &m, std::optional<std::uint32_t> epoch) {
    std::uint64_t sum = 0;
    for (const epoch_record &one : from.book().epochs(m.fingerprint)) {
        sum += !epoch || one.epoch == *epoch ? one.rows : 0;
    }
    return sum;
}

std::string line(const std::string &where, const metric &m, const holding &held) {
    return fmt::format("the store holds {} of {} ({}), {}, {}", counted(held.releases, "release"),
                       m.name, where, in_runs("epoch", held.epochs), in_runs("level", held.levels));
}

std::set<std::uint32_t> epochs_of(const store &from, const metric &m) {
    std::set<std::uint32_t> out;
    for (const epoch_record &one : from.book().epochs(m.fingerprint)) {
        out.insert(one.epoch);
    }
    return out;
}

} // namespace

std::string say_which_epochs(const store &from, const registry &asked,
                             const std::vector<const metric *> &metrics) {
    std::set<std::uint32_t> wanted, all;
    for (const metric *m : metrics) {
        wanted.merge(epochs_of(from, *m));
    }
    for (const metric &m : asked.metrics) {
        all.merge(epochs_of(from, m));
    }
    return !wanted.empty() ? "there are reports of " + in_runs("epoch", wanted)
           : !all.empty()  ? "only other metrics have reports, of " + in_runs("epoch", all)
                           : "";
}

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

std::vector<std::string> say_what_is_not_counted(const store &from, const registry &asked,
                                                 const std::vector<const metric *> &metrics,
                                                 std::optional<std::uint32_t> epoch) {
    std::set<std::uint32_t> seen;
    for (const metric &m : asked.metrics) {
        seen.insert(m.fingerprint);
    }
    std::vector<std::string> lines, unknown;
    for (const registry &kept : from.registries()) {
        for (const metric &m : kept.metrics) {
            const std::uint64_t reports =
                seen.insert(m.fingerprint).second ? reports_of(from, m, epoch) : 0;
            if (reports == 0) {
                continue;
            }
            const std::string where = fmt::format("{} version {}", kept.name, kept.version);
            if (asked.find(m.name) == nullptr) {
                unknown.push_back(
                    fmt::format("{} ({}, {})", m.name, counted(reports, "report"), where));
            } else if (std::ranges::count(metrics, asked.find(m.name)) > 0) {
                lines.push_back(fmt::format("{}: the store has {} of another definition ({}), not "
                                            "counted here",
                                            m.name, counted(reports, "report"), where));
            }
        }
    }
    if (!unknown.empty() && metrics.size() == asked.metrics.size()) {
        lines.push_back("the store also has metrics that this registry does not: " +
                        joined(unknown));
    }
    return lines;
}

} // namespace sotto::aggregator
