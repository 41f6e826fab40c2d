// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/estimate.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/holdings.hpp"
#include "aggregator/tally/count.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::vector<const metric *> wanted_metrics(const registry &with, const std::string &name) {
    std::vector<const metric *> all;
    if (name.empty()) {
        for (const metric &m : with.metrics) {
            all.push_back(&m);
        }
    } else if (const metric *m = with.find(name)) {
        all.push_back(m);
    } else {
        throw usage_error(fmt::format("--metric: no metric {}; the registry has {}",
                                      in_quotes(name), joined(with.metric_names())));
    }
    return all;
}

void check_level(const std::vector<const metric *> &metrics, const selection &what) {
    std::size_t levels = 0;
    for (const metric *m : metrics) {
        levels = std::max(levels, m->level_count());
    }
    if (what.level && *what.level >= levels) {
        throw usage_error(
            fmt::format("--level: no level {}; the highest is {}", *what.level, levels - 1));
    }
}

// A few of them by name.
std::string some_of(const std::vector<std::string> &texts) {
    constexpr std::size_t most = 5;
    std::string out;
    for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) {
        out += (i > 0 ? ", " : "") + in_quotes(texts[i]);
    }
    return out + (texts.size() > most ? ", ..." : "");
}

void note_strings(estimates &out, const metric &m, const metric_estimate &found, bool asked) {
    if (m.type != SOTTO_TYPE_STRING) {
        return;
    }
    if (!asked) {
        out.notes.push_back(m.name + ": reports of strings; --candidates FILE says which to count");
        return;
    }
    if (!found.undetermined.empty()) {
        out.notes.push_back(fmt::format(
            "{}: {} left out, as the bits reported so far don't tell them from others: {}", m.name,
            counted(found.undetermined.size(), "candidate"), some_of(found.undetermined)));
    }
    if (found.strings_are_missing) {
        out.notes.push_back(m.name + ": frequent strings are missing from the candidates; the "
                                     "intervals are wider for it");
    }
}

} // namespace

std::map<std::uint32_t, metric_tally> tally_metric(const store &from, const metric &m,
                                                   const selection &what) {
    std::map<std::uint32_t, metric_tally> tallies;
    metric_epochs all(from, m);
    for (const epoch_record &one : all.epochs()) {
        if (what.epoch && one.epoch != *what.epoch) {
            continue;
        }
        epoch_tally found = all.tally(one);
        metric_tally wanted =
            what.level ? published_at(found, *what.level) : std::move(found.highest);
        if (std::ranges::any_of(wanted, [](const level_tally &at) { return at.reports > 0; })) {
            tallies.emplace(one.epoch, std::move(wanted));
        }
    }
    return tallies;
}

estimates estimate(const store &from, const registry &with, const std::string &metric_name,
                   const selection &what, const std::vector<std::string> &candidates) {
    const std::vector<const metric *> metrics = wanted_metrics(with, metric_name);
    check_level(metrics, what);
    estimates out;
    bool anything = false;
    for (const metric *m : metrics) {
        for (const auto &[epoch, tally] : tally_metric(from, *m, what)) {
            anything = true;
            metric_estimate found = estimate_metric(*m, epoch, tally, candidates);
            note_strings(out, *m, found, !candidates.empty());
            for (estimate_row &one : found.rows) {
                one.level = what.level;
                out.rows.push_back(std::move(one));
            }
        }
    }
    if (!anything) {
        out.notes = say_what_is_held(from, with, metrics);
    }
    return out;
}

} // namespace sotto::aggregator
