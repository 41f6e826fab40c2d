// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/joint.hpp"
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/columns.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/candidates.hpp"
#include "aggregator/estimate/joint_remarks.hpp"
#include "aggregator/estimate/own_candidates.hpp"
#include "aggregator/estimate/report_pairs.hpp"
#include "aggregator/estimate/report_patterns.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/formats.hpp"
#include "aggregator/program/progress.hpp"
#include "aggregator/text/remark_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

const metric &metric_of(const registry &with, const std::string &name) {
    const metric *m = with.find(name);
    if (m == nullptr) {
        throw usage_error(fmt::format("--metrics: no metric {}; the registry has {}",
                                      in_quotes(name), joined(with.metric_names())));
    }
    return *m;
}

void note(const std::string &line) { fmt::print(stderr, "sotto: {}\n", line); }

// METRIC=FILE, of those given the one for this metric. Adds remarks on the file, and notes them at
// once: what follows takes long.
std::vector<std::string> candidates_of(const metric &m, const std::vector<std::string> &given,
                                       std::vector<remark> &remarks) {
    for (const std::string &text : given) {
        const std::size_t at = text.find('=');
        if (at != std::string::npos && text.substr(0, at) == m.name) {
            candidate_list read = read_candidates(text.substr(at + 1));
            own_candidates own = own_candidates_of(m, std::move(read.strings));
            if (own.left_out) {
                read.remarks.push_back({&m, {}, *own.left_out});
            }
            for (const remark &r : read.remarks) {
                note(line_of(r));
                remarks.push_back(r);
            }
            return std::move(own.texts);
        }
    }
    return own_candidates_of(m, {}).texts;
}

// The loss of a device that sent both reports, at the highest levels that were read.
double loss_of(const metric &a, const metric &b, const std::vector<paired_reports> &pairs) {
    std::size_t first = 0, second = 0;
    for (const paired_reports &pair : pairs) {
        first = std::max<std::size_t>(first, pair.first.level);
        second = std::max<std::size_t>(second, pair.second.level);
    }
    return joint_epsilon(a, first) + joint_epsilon(b, second);
}

report_pairs patterns_of(const std::vector<paired_reports> &pairs, report_likelihood &first,
                         report_likelihood &second) {
    const auto pattern = [](const stored_report &r) {
        return report_pattern{r.level, r.cohort, r.value};
    };
    report_patterns patterns(first, second);
    for (const paired_reports &pair : pairs) {
        patterns.add(pattern(pair.first), pattern(pair.second));
    }
    return patterns.finish();
}

double memory_of_this_machine() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<double>(sysconf(_SC_PAGESIZE));
}

void check_cells(std::size_t firsts, std::size_t seconds) {
    const double needed = joint_bytes(static_cast<double>(firsts) * static_cast<double>(seconds));
    const double memory = memory_of_this_machine();
    if (needed > memory) {
        throw usage_error(fmt::format("--metrics: {} times {} values are {} cells, whose "
                                      "covariance takes {:.1f} GB of memory; this machine has "
                                      "{:.1f} GB",
                                      grouped(firsts), grouped(seconds), grouped(firsts * seconds),
                                      needed / 1e9, memory / 1e9));
    }
}

} // namespace

exit_code print_joint(const joint_options &options) {
    check_is_no_input(options.out, options.files);
    check_is_no_input(options.out, {options.registry, options.key});
    const registry with = load_registry(options.registry).content;
    const std::vector<std::string> names = split(options.metrics, ',');
    if (names.size() != 2 || names[0] == names[1]) {
        throw usage_error("--metrics: two different ones, as in A,B");
    }
    const metric &a = metric_of(with, names[0]), &b = metric_of(with, names[1]);
    for (const std::string &text : options.candidates) {
        const std::string name = text.substr(0, text.find('='));
        if (text.find('=') == std::string::npos || (name != names[0] && name != names[1])) {
            throw usage_error(fmt::format("--candidates: {} is not METRIC=FILE of {} or {}",
                                          in_quotes(text), names[0], names[1]));
        }
        check_is_no_input(options.out, {text.substr(name.size() + 1)});
        if (!has_strings(metric_of(with, name))) {
            throw usage_error(fmt::format("--candidates: {} is no metric of strings; the registry "
                                          "has its values",
                                          name));
        }
    }
    std::vector<remark> remarks;
    report_likelihood first(a, candidates_of(a, options.candidates, remarks));
    report_likelihood second(b, candidates_of(b, options.candidates, remarks));
    check_cells(first.values().size(), second.values().size());
    std::optional<keyring> keys;
    if (!options.key.empty()) {
        keys.emplace(read_private_keys(options.key));
    }
    const pairs_read read =
        read_pairs(options.files, with, a, b, {options.epoch, keys ? &*keys : nullptr});
    progress shown("rounds");
    const joint_fit fit = estimate_joint(patterns_of(read.pairs, first, second), [&](int rounds) {
        shown.show(static_cast<std::uint64_t>(rounds), 0);
    });
    shown.clear();
    const std::vector<remark> found = joint_remarks(read, fit);
    remarks.insert(remarks.end(), found.begin(), found.end());
    const joint_table table = {
        first, second, read.epoch, loss_of(a, b, read.pairs), fit, std::move(remarks)};
    const std::string text =
        format_of(options.format).joint(table, options.out.empty() ? terminal_width() : any_width);
    if (options.out.empty()) {
        fmt::print("{}", text);
    } else {
        write_atomically(options.out, text);
    }
    if (const std::string rejected = read.rejected.text(); !rejected.empty()) {
        note(fmt::format("rejected {}: {}", grouped(read.rejected.total()), rejected));
    }
    for (const remark &r : found) {
        note(line_of(r));
    }
    return exit_code::done;
}

} // namespace sotto::aggregator
