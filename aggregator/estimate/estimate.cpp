// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/estimate.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

estimate_row make_row_of(const metric &m, std::uint32_t epoch, std::span<const level_count> counts,
                         std::optional<std::uint32_t> level) {
    estimate_row out{&m, epoch, level, 0, false, {}};
    std::vector<double> flip;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        flip.push_back(m.levels[i].law.flip);
        if (counts[i].reports > 0) {
            out.mixed = out.epsilon > 0;
            out.epsilon = m.levels[i].realised.value;
        }
    }
    out.result = estimate_randomized_response(counts, flip);
    return out;
}

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

} // namespace

tally tally_metric(const store &from, const metric &m, const selection &what) {
    tally counts;
    for_each_release(from.segments(m.fingerprint), what, [&](const row &one) {
        if (level_of(one) >= m.levels.size() || value_of(one) > 1) {
            throw environment_error(fmt::format("{}: a row that metric {} can't have",
                                                from.segment_directory(m.fingerprint).string(),
                                                in_quotes(m.name)));
        }
        std::vector<level_count> &levels = counts[epoch_of(one)];
        levels.resize(m.levels.size());
        ++levels[level_of(one)].reports;
        levels[level_of(one)].ones += value_of(one);
    });
    return counts;
}

std::vector<estimate_row> estimate(const store &from, const registry &with,
                                   const std::string &metric_name, const selection &what) {
    std::vector<const metric *> metrics = wanted_metrics(with, metric_name);
    std::size_t levels = 0;
    for (const metric *m : metrics) {
        levels = std::max(levels, m->levels.size());
    }
    if (what.level && *what.level >= levels) {
        throw usage_error(
            fmt::format("--level: no level {}; the highest is {}", *what.level, levels - 1));
    }
    std::vector<estimate_row> rows;
    for (const metric *m : metrics) {
        for (const auto &[epoch, counts] : tally_metric(from, *m, what)) {
            rows.push_back(make_row_of(*m, epoch, counts, what.level));
        }
    }
    return rows;
}

} // namespace sotto::aggregator
