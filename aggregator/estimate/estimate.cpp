// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/estimate.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/discover.hpp"
#include "aggregator/estimate/holdings.hpp"
#include "aggregator/estimate/quality.hpp"
#include "aggregator/estimate/stray_epochs.hpp"
#include "aggregator/tally/count.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace sotto::aggregator {
namespace {

std::vector<const metric *> wanted_metrics(const registry &with, const std::string &name,
                                           const char *option = "--metric") {
    std::vector<const metric *> all;
    if (name.empty()) {
        for (const metric &m : with.metrics) {
            all.push_back(&m);
        }
    } else if (const metric *m = with.find(name)) {
        all.push_back(m);
    } else {
        throw usage_error(fmt::format("{}: no metric {}; the registry has {}", option,
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

void note_strings(estimates &out, const metric &m, const metric_estimate &found) {
    const auto note = [&](const std::string &text) { out.notes.push_back(m.name + ": " + text); };
    for (const std::vector<std::string> &those : found.collisions) {
        note("the same bits in every cohort that reported: " + some_of(those));
    }
    if (!found.undetermined.empty()) {
        note(fmt::format("{} left out, as the bits reported so far don't tell them from others: {}",
                         counted(found.undetermined.size(), "candidate"),
                         some_of(found.undetermined)));
    }
    if (found.screened_out > 0) {
        note(fmt::format("too many candidates to tell all from each other; {} not detected and "
                         "left out",
                         counted(found.screened_out, "candidate")));
    }
    if (found.freedom > 0) {
        note(fmt::format("what the candidates leave over of the bits: chi-square {} on {} degrees "
                         "of freedom",
                         grouped(static_cast<std::uint64_t>(found.misfit * found.freedom)),
                         grouped(static_cast<std::uint64_t>(found.freedom))));
    }
    if (found.strings_are_missing) {
        note("frequent strings are missing from the candidates; the intervals are wider for it");
    }
}

void note_quality(estimates &out, const metric &m, const quality &found) {
    if (found.impossible > 0) {
        out.notes.push_back(fmt::format("{}: {} of {} counts are beyond what honest devices send",
                                        m.name, grouped(found.impossible), grouped(found.counts)));
    }
    if (found.sum_is_impossible()) {
        out.notes.push_back(fmt::format(
            "{}: the categories don't add up to the reports, by {:.1f} standard errors: not what "
            "honest devices send",
            m.name, *found.sum_error));
    }
}

void add_unanswered(estimates &out, const metric &m, std::optional<std::uint32_t> epoch,
                    const metric_tally &tally, std::uint64_t candidates, const std::string &why) {
    unanswered one = {&m, epoch, 0, 0, candidates, why};
    for (std::uint32_t level = 0; level < tally.size(); ++level) {
        one.reports += tally[level].reports;
        one.level = tally[level].reports > 0 ? level : one.level;
    }
    out.without_rows.push_back(std::move(one));
}

std::string why_no_rows(const metric_estimate &found, std::size_t candidates) {
    return candidates == 0 ? "no candidates were given (--candidates FILE)"
           : found.screened_out > 0
               ? fmt::format("none of {} was detected", counted(candidates, "candidate"))
               : fmt::format("the bits reported so far don't tell {} from each other",
                             counted(candidates, "candidate"));
}

void add_estimate(estimates &out, const metric &m, std::optional<std::uint32_t> epoch,
                  const metric_tally &tally, const estimate_request &request,
                  double of_a_value = 1) {
    decode_options options = request.decode;
    options.of_a_value = of_a_value;
    metric_estimate found = estimate_metric(m, epoch, tally, options);
    if (m.type == SOTTO_TYPE_STRING && request.decode.candidates.empty()) {
        out.notes.push_back(m.name + ": reports of strings; --candidates FILE says which to count");
    } else {
        note_strings(out, m, found);
    }
    if (const std::size_t candidates = request.decode.candidates.size(); found.rows.empty()) {
        add_unanswered(out, m, epoch, tally, candidates, why_no_rows(found, candidates));
    }
    note_quality(out, m, check_quality(m, tally, of_a_value));
    for (estimate_row &one : found.rows) {
        one.level = request.what.level;
        one.coalition = request.decode.coalition;
        out.rows.push_back(std::move(one));
    }
}

void add_counts(metric_tally &to, const metric_tally &from) {
    const auto add = [](std::vector<std::uint64_t> &a, const std::vector<std::uint64_t> &b) {
        std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::plus<>());
    };
    for (std::size_t level = 0; level < to.size(); ++level) {
        to[level].reports += from[level].reports;
        add(to[level].ones, from[level].ones);
        add(to[level].cohorts, from[level].cohorts);
        for (std::size_t i = 0; i < to[level].numbers.size(); ++i) {
            number_count &a = to[level].numbers[i];
            const number_count &b = from[level].numbers[i];
            a = {a.reports + b.reports, a.sum + b.sum, a.at_min + b.at_min, a.at_max + b.at_max};
        }
    }
}

// What a device loses that reports a text to each of these.
std::string cost_of(const std::vector<const metric *> &metrics) {
    double once = 0, ever = 0;
    bool bounded = true;
    for (const metric *m : metrics) {
        const ladder_level &top = m->levels.back();
        once += top.realised.value;
        bounded &= top.repeated && top.repeated->infinity;
        ever += bounded ? top.repeated->infinity->value : 0;
    }
    const std::string where = metrics.size() == 1 ? metrics.front()->name
                                                  : fmt::format("all {} of these", metrics.size());
    return fmt::format(
        "a device that reports a text to {} loses epsilon {:.4g} at most once{}", where, once,
        bounded ? fmt::format(", {:.4g} however often it reports that text", ever) : "");
}

// Epochs in which no text was found.
void note_undiscovered(estimates &out, const metric &m,
                       const std::map<std::uint32_t, metric_tally> &tallies) {
    for (const auto &[epoch, tally] : tallies) {
        if (std::ranges::none_of(out.rows,
                                 [epoch](const estimate_row &row) { return row.epoch == epoch; })) {
            add_unanswered(out, m, epoch, tally, 1, "no text was discovered");
        }
    }
}

void estimate_discovered(estimates &out, const store &from, const registry &with,
                         const estimate_request &request) {
    std::vector<const metric *> metrics;
    for (const std::string &name : request.discover) {
        metrics.push_back(wanted_metrics(with, name, "--discover").front());
    }
    check_level(metrics, request.what);
    std::vector<std::map<std::uint32_t, metric_tally>> tallies;
    for (const metric *m : metrics) {
        tallies.push_back(tally_metric(from, *m, request.what));
    }
    for (const auto &[epoch, last] : tallies.back()) {
        std::vector<prefix_stage> stages;
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            const auto at = tallies[i].find(epoch);
            stages.push_back(
                {metrics[i], at == tallies[i].end() ? empty_tally(*metrics[i]) : at->second});
        }
        estimate_request found = request;
        discovered texts = discover(stages, request.alphabet, request.decode);
        found.decode.candidates = std::move(texts.candidates);
        for (std::size_t i = 0; i < texts.found.size(); ++i) {
            out.notes.push_back(fmt::format("{}: prefixes detected: {}", metrics[i]->name,
                                            grouped(texts.found[i].size())));
        }
        if (!found.decode.candidates.empty()) {
            add_estimate(out, *metrics.back(), epoch, last, found);
        }
    }
    std::erase_if(out.rows, [](const estimate_row &row) { return !*row.detected; });
    out.without_rows.clear();
    note_undiscovered(out, *metrics.back(), tallies.back());
    if (tallies.back().empty()) {
        out.without_reports.push_back(metrics.back());
        out.notes = say_what_is_held(from, with, metrics);
    } else {
        out.notes.push_back(cost_of(metrics));
    }
}

double reports_of(const metric_tally &tally) {
    double n = 0;
    for (const level_tally &at : tally) {
        n += static_cast<double>(at.reports);
    }
    return n;
}

} // namespace

std::map<std::uint32_t, counted_epoch> count_epochs(const store &from, const metric &m,
                                                    const selection &what) {
    std::map<std::uint32_t, counted_epoch> counted;
    metric_epochs all(from, m);
    for (const epoch_record &one : all.epochs()) {
        if (what.epoch && one.epoch != *what.epoch) {
            continue;
        }
        epoch_tally found = all.tally(one);
        counted_epoch wanted;
        wanted.unexplained = found.unexplained;
        for (const auto &[r, count] : found.selected) {
            wanted.selected.push_back({r.low_level, r.low_value, r.level, r.value, count});
        }
        wanted.tally = what.level ? published_at(found, *what.level) : std::move(found.highest);
        if (std::ranges::any_of(wanted.tally,
                                [](const level_tally &at) { return at.reports > 0; })) {
            counted.emplace(one.epoch, std::move(wanted));
        }
    }
    return counted;
}

std::map<std::uint32_t, metric_tally> tally_metric(const store &from, const metric &m,
                                                   const selection &what) {
    std::map<std::uint32_t, metric_tally> tallies;
    for (auto &[epoch, counted] : count_epochs(from, m, what)) {
        tallies.emplace(epoch, std::move(counted.tally));
    }
    return tallies;
}

pooled_epochs pool_epochs(const std::map<std::uint32_t, metric_tally> &tallies) {
    pooled_epochs out;
    double together = 0, all = 0;
    for (const auto &[epoch, tally] : tallies) {
        if (out.tally.empty()) {
            out.tally = tally;
        } else {
            add_counts(out.tally, tally);
        }
        all += reports_of(tally);
        for (const auto &[other, others] : tallies) {
            together += std::min(reports_of(tally), reports_of(others));
        }
    }
    out.of_a_value = all > 0 ? together / all : 1;
    return out;
}

namespace {

// Releases that were relaxed because of what they had said are no sample of all.
void note_selected(estimates &out, const metric &m,
                   const std::map<std::uint32_t, counted_epoch> &counted,
                   std::optional<std::uint32_t> level) {
    std::uint64_t selected = 0, unexplained = 0;
    for (const auto &[epoch, one] : counted) {
        unexplained += one.unexplained;
        for (const selected_count &some : one.selected) {
            selected += some.count;
        }
    }
    if (unexplained > 0) {
        out.notes.push_back(fmt::format(
            "{}: {} relaxed because of what they had said, which never came: not counted", m.name,
            sotto::aggregator::counted(unexplained, "release")));
    }
    if (selected == 0 || level == 0U) {
        return;
    }
    const std::string what = fmt::format("{}: {} relaxed because of what they had said: ", m.name,
                                         sotto::aggregator::counted(selected, "release"));
    if (level) {
        out.notes.push_back(what + fmt::format("level {} alone is no sample of all; leave out "
                                               "--level",
                                               *level));
    } else if (allows_for_selection(m)) {
        out.notes.push_back(what + "all that they said is weighted together (three-outcome "
                                   "estimator), so that the estimate is not biased by it");
    } else {
        out.notes.push_back(what + fmt::format("by {} nothing can allow for that; the estimate is "
                                               "biased, --level 0 is not",
                                               m.mechanism_name));
    }
}

// What the estimate of all levels has to know of them; of one level alone nothing can be made of
// it.
std::vector<selected_count> selected_of(const counted_epoch &one, const selection &what) {
    return what.level ? std::vector<selected_count>() : one.selected;
}

// Of that many epochs' releases, at the highest level that was read and all below it.
pooled_loss loss_of(const metric &m, const metric_tally &tally, std::uint32_t epochs) {
    constexpr std::uint32_t off_the_scale = 0xffffffff;
    std::size_t level = 0;
    for (std::size_t i = 0; i < tally.size(); ++i) {
        level = tally[i].reports > 0 ? i : level;
    }
    const std::uint32_t releases = epochs * m.per_epoch;
    if (m.cost_reports > 0) {
        const std::uint32_t cost = m.cost(level, releases);
        return {epochs, cost == off_the_scale ? HUGE_VAL : std::ldexp(cost, -20)};
    }
    return {epochs, releases * joint_epsilon(m, level)};
}

// The epochs that are put into one. The others are named.
std::map<std::uint32_t, counted_epoch>
without_strays(estimates &out, const metric &m, std::map<std::uint32_t, counted_epoch> counted) {
    const auto reports = [](const auto &one) {
        return static_cast<std::uint64_t>(reports_of(one.second.tally));
    };
    std::uint64_t largest = 0, left_out = 0;
    for (const auto &one : counted) {
        largest = std::max(largest, reports(one));
    }
    std::set<std::uint32_t> stray;
    std::erase_if(counted, [&](const auto &one) {
        const bool is = is_stray(reports(one), largest);
        if (is) {
            stray.insert(one.first);
            left_out += reports(one);
        }
        return is;
    });
    if (!stray.empty()) {
        out.notes.push_back(fmt::format("{}: left out of all epochs: {} in {}, each with less than "
                                        "1 % of the reports of the largest",
                                        m.name, sotto::aggregator::counted(left_out, "report"),
                                        in_runs("epoch", stray)));
    }
    return counted;
}

void add_all_epochs(estimates &out, const metric &m,
                    const std::map<std::uint32_t, counted_epoch> &all_counted,
                    const estimate_request &request) {
    const auto counted = without_strays(out, m, all_counted);
    std::map<std::uint32_t, metric_tally> tallies;
    estimate_request with_selected = request;
    for (const auto &[epoch, one] : counted) {
        tallies.emplace(epoch, one.tally);
        const auto more = selected_of(one, request.what);
        auto &all = with_selected.decode.selected;
        all.insert(all.end(), more.begin(), more.end());
    }
    const pooled_epochs all = pool_epochs(tallies);
    const std::size_t before = out.rows.size();
    add_estimate(out, m, {}, all.tally, with_selected, all.of_a_value);
    if (counted.size() > 1) {
        const pooled_loss loss = loss_of(m, all.tally, static_cast<std::uint32_t>(counted.size()));
        for (std::size_t i = before; i < out.rows.size(); ++i) {
            out.rows[i].all_epochs = loss;
        }
    }
}

} // namespace

estimates estimate(const store &from, const registry &with, const estimate_request &request) {
    if (!request.discover.empty()) {
        estimates found;
        estimate_discovered(found, from, with, request);
        return found;
    }
    const std::vector<const metric *> metrics = wanted_metrics(with, request.metric);
    check_level(metrics, request.what);
    estimates out;
    bool anything = false;
    for (const metric *m : metrics) {
        const auto counted = count_epochs(from, *m, request.what);
        anything |= !counted.empty();
        note_selected(out, *m, counted, request.what.level);
        if (counted.empty()) {
            out.without_reports.push_back(m);
        }
        if (request.all_epochs && !counted.empty()) {
            add_all_epochs(out, *m, counted, request);
            continue;
        }
        for (const auto &[epoch, one] : counted) {
            estimate_request with_selected = request;
            with_selected.decode.selected = selected_of(one, request.what);
            add_estimate(out, *m, epoch, one.tally, with_selected);
        }
    }
    if (!anything) {
        out.notes = say_what_is_held(from, with, metrics);
    }
    return out;
}

} // namespace sotto::aggregator
