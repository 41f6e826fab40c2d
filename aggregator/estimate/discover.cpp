// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/discover.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace sotto::aggregator {
namespace {

std::size_t bytes_of(const metric &m) {
    if (!has_texts(m)) {
        throw usage_error(fmt::format("--discover: {} is of type {}; only metrics of type string "
                                      "are discovered",
                                      m.name, m.type_name));
    }
    return mechanism_of(m).strings(m)->max_bytes;
}

// "A,B,C": the names, the shortest prefix first.
std::string names_in_order(std::vector<const metric *> metrics) {
    std::ranges::stable_sort(metrics, {}, [](const metric *m) { return bytes_of(*m); });
    std::vector<std::string> names;
    for (const metric *m : metrics) {
        names.push_back(m->name);
    }
    return fmt::format("{}", fmt::join(names, ","));
}

// Errors: usage_error where the second is no longer than the first.
void check_order(const metric &first, const metric &second,
                 const std::vector<const metric *> &metrics) {
    const std::size_t length = bytes_of(first), next = bytes_of(second);
    if (length == next) {
        throw usage_error(fmt::format("--discover: {} and {} both have max_bytes {}; each metric "
                                      "needs a longer prefix than the one before it",
                                      first.name, second.name, length));
    }
    if (length > next) {
        throw usage_error(fmt::format("--discover: {} (max_bytes {}) stands before {} (max_bytes "
                                      "{}); the shortest comes first: --discover {}",
                                      first.name, length, second.name, next,
                                      names_in_order(metrics)));
    }
}

// How many bytes each stage is longer than the one before it.
std::vector<std::size_t> steps_of(const std::vector<const metric *> &metrics) {
    std::vector<std::size_t> steps = {bytes_of(*metrics.front())};
    for (std::size_t i = 1; i < metrics.size(); ++i) {
        check_order(*metrics[i - 1], *metrics[i], metrics);
        steps.push_back(bytes_of(*metrics[i]) - bytes_of(*metrics[i - 1]));
    }
    return steps;
}

void check_step(const metric &m, std::size_t step, std::size_t alphabet) {
    std::size_t strings = 1, longest = 1;
    for (std::size_t i = 0; i < step && strings <= discover_candidates_max; ++i) {
        longest *= alphabet;
        strings += longest;
    }
    if (strings > discover_candidates_max) {
        throw usage_error(
            fmt::format("{}: {} more of {} make more than {} candidates; put a metric between, or "
                        "give a smaller alphabet",
                        m.name, counted(step, "byte"), counted(alphabet, "character"),
                        grouped(discover_candidates_max)));
    }
}

std::vector<const metric *> metrics_of(const std::vector<prefix_stage> &stages) {
    std::vector<const metric *> metrics;
    for (const prefix_stage &stage : stages) {
        metrics.push_back(stage.subject);
    }
    return metrics;
}

// All texts of up to `length` more bytes, the empty one first.
std::vector<std::string> endings(const std::string &alphabet, std::size_t length) {
    std::vector<std::string> out = {""};
    for (std::size_t first = 0; length > 0; --length) {
        const std::size_t last = out.size();
        for (std::size_t i = first; i < last; ++i) {
            for (const char c : alphabet) {
                out.push_back(out[i] + c);
            }
        }
        first = last;
    }
    return out;
}

// A prefix shorter than the stage could hold is whole.
std::vector<std::string> extended(const std::vector<std::string> &prefixes, std::size_t full,
                                  const std::vector<std::string> &by) {
    std::vector<std::string> out;
    for (const std::string &prefix : prefixes) {
        for (const std::string &ending : by) {
            if (prefix.size() == full || ending.empty()) {
                out.push_back(prefix + ending);
            }
        }
    }
    return out;
}

// The most frequent, as long as no more than discover_candidates_max come of them.
void keep_best(found_prefixes &prefixes, std::size_t full, std::size_t endings) {
    std::size_t candidates = 0;
    const auto has_room = [&](const std::string &prefix) {
        candidates += prefix.size() == full ? endings : 1;
        return candidates <= discover_candidates_max;
    };
    const auto end = std::find_if_not(prefixes.kept.begin(), prefixes.kept.end(), has_room);
    prefixes.left_out = static_cast<std::size_t>(prefixes.kept.end() - end);
    prefixes.kept.erase(end, prefixes.kept.end());
}

found_prefixes detect_prefixes(const prefix_stage &stage, const decode_options &options) {
    metric_estimate fitted = estimate_metric(*stage.subject, {}, stage.tally, options);
    found_prefixes out;
    out.is_misfit = fitted.is_misfit;
    out.misfit = fitted.misfit;
    out.freedom = fitted.freedom;
    std::erase_if(fitted.rows, [](const estimate_row &row) { return !*row.detected; });
    std::stable_sort(fitted.rows.begin(), fitted.rows.end(),
                     [](const auto &a, const auto &b) { return a.result.value > b.result.value; });
    for (estimate_row &row : fitted.rows) {
        if (auto *text = std::get_if<std::string>(&row.value)) {
            out.kept.push_back(std::move(*text));
        } else {
            out.too_long = row.result;
        }
    }
    return out;
}

} // namespace

void check_stages(const std::vector<const metric *> &metrics, std::size_t alphabet) {
    const std::vector<std::size_t> steps = steps_of(metrics);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        check_step(*metrics[i], steps[i], alphabet);
    }
}

discovered discover(const std::vector<prefix_stage> &stages, const std::string &alphabet,
                    const decode_options &options) {
    const std::vector<const metric *> metrics = metrics_of(stages);
    check_stages(metrics, alphabet.size());
    const std::vector<std::size_t> steps = steps_of(metrics);
    discovered out;
    out.candidates = endings(alphabet, steps[0]);
    for (std::size_t i = 0, length = 0; i + 1 < stages.size(); ++i) {
        length += steps[i];
        decode_options here = options;
        here.candidates = std::move(out.candidates);
        const std::vector<std::string> next = endings(alphabet, steps[i + 1]);
        out.found.push_back(detect_prefixes(stages[i], here));
        keep_best(out.found.back(), length, next.size());
        out.candidates = extended(out.found.back().kept, length, next);
    }
    return out;
}

} // namespace sotto::aggregator
