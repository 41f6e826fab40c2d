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
#include <map>
#include <set>

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

// Every release at the level below its selection: of those, each level is a sample again.
metric_tally before_selection(metric_tally tally, std::span<const selected_count> selected) {
    for (const selected_count &one : selected) {
        tally[one.level].reports -= one.count;
        tally[one.level].ones[one.value] -= one.count;
        tally[one.low_level].reports += one.count;
        tally[one.low_level].ones[one.low_value] += one.count;
    }
    return tally;
}

// `is_sample`: are the releases at each level, but for those that the request knows as selected, no
// others than chance would have?
void add_estimate(estimates &out, const metric &m, std::optional<std::uint32_t> epoch,
                  const metric_tally &tally, const estimate_request &request, double of_a_value = 1,
                  bool is_sample = true) {
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
    if (is_sample) {
        const metric_tally drawn = before_selection(tally, request.decode.selected);
        note_quality(out, m, check_quality(m, drawn, of_a_value));
    }
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

double reports_of(const metric_tally &tally) {
    double n = 0;
    for (const level_tally &at : tally) {
        n += static_cast<double>(at.reports);
    }
    return n;
}

// Many epochs may have the same to say, and anybody can send reports of many.
void merge_notes(std::vector<std::string> &notes) {
    constexpr std::size_t most = 200;
    std::vector<std::string> kept;
    std::map<std::string, std::size_t> times;
    for (const std::string &note : notes) {
        if (++times[note] == 1) {
            kept.push_back(note);
        }
    }
    const std::size_t left_out = kept.size() - std::min(kept.size(), most);
    kept.resize(kept.size() - left_out);
    for (std::string &note : kept) {
        if (const std::size_t n = times[note]; n > 1) {
            note += fmt::format(" (in {})", counted(n, "epoch"));
        }
    }
    if (left_out > 0) {
        kept.push_back(
            fmt::format("and {}; --epoch E makes only those of one", counted(left_out, "remark")));
    }
    notes = std::move(kept);
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
void estimate_discovered(estimates &out, const store &from, const registry &with,
                         const estimate_request &request) {
    std::vector<const metric *> metrics;
    for (const std::string &name : request.discover) {
        metrics.push_back(wanted_metrics(with, name, "--discover").front());
    }
    check_level(metrics, request.what);
    std::vector<counted_epochs> counted;
    for (const metric *m : metrics) {
        counted.emplace_back(from, *m, request.what);
    }
    bool anything = false;
    for (const epoch_record &one : counted.back().epochs()) {
        const auto last = counted.back().read(one);
        if (!last) {
            continue;
        }
        anything = true;
        std::vector<prefix_stage> stages;
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            auto at = counted[i].read(one.epoch);
            stages.push_back({metrics[i], at ? std::move(at->tally) : empty_tally(*metrics[i])});
        }
        estimate_request found = request;
        discovered texts = discover(stages, request.alphabet, request.decode);
        found.decode.candidates = std::move(texts.candidates);
        for (std::size_t i = 0; i < texts.found.size(); ++i) {
            out.notes.push_back(fmt::format("{}: prefixes detected: {}", metrics[i]->name,
                                            grouped(texts.found[i].size())));
        }
        const std::size_t before = out.rows.size(), unanswered_before = out.without_rows.size();
        if (!found.decode.candidates.empty()) {
            add_estimate(out, *metrics.back(), one.epoch, last->tally, found);
        }
        std::erase_if(out.rows, [](const estimate_row &row) { return !*row.detected; });
        out.without_rows.resize(unanswered_before);
        if (out.rows.size() == before) {
            add_unanswered(out, *metrics.back(), one.epoch, last->tally, 1,
                           "no text was discovered");
        }
    }
    merge_notes(out.notes);
    if (!anything) {
        out.without_reports.push_back(metrics.back());
        out.notes = say_what_is_held(from, with, metrics);
    } else {
        out.notes.push_back(cost_of(metrics));
    }
}

} // namespace

namespace {

// Of rising ones, that one or none.
std::span<const epoch_record> find_epoch(std::span<const epoch_record> all, std::uint32_t epoch) {
    const auto found = std::lower_bound(
        all.begin(), all.end(), epoch,
        [](const epoch_record &one, std::uint32_t wanted) { return one.epoch < wanted; });
    const bool is_there = found != all.end() && found->epoch == epoch;
    return all.subspan(static_cast<std::size_t>(found - all.begin()), is_there ? 1 : 0);
}

} // namespace

counted_epochs::counted_epochs(const store &from, const metric &m, const selection &what)
    : all_(from, m), what_(what), epochs_(all_.epochs()) {
    if (what.epoch) {
        epochs_ = find_epoch(epochs_, *what.epoch);
    }
}

std::optional<counted_epoch> counted_epochs::read(const epoch_record &one) {
    epoch_tally found = all_.tally(one);
    unexplained_ += found.unexplained;
    counted_epoch wanted;
    for (const auto &[r, count] : found.selected) {
        wanted.selected.push_back({r.low_level, r.low_value, r.level, r.value, count});
    }
    wanted.tally = what_.level ? published_at(found, *what_.level) : std::move(found.highest);
    return reports_of(wanted.tally) > 0 ? std::optional(std::move(wanted)) : std::nullopt;
}

std::optional<counted_epoch> counted_epochs::read(std::uint32_t epoch) {
    const auto found = find_epoch(epochs_, epoch);
    return found.empty() ? std::nullopt : read(found.front());
}

void epoch_pool::add(const metric_tally &epoch) {
    if (sum_.empty()) {
        sum_ = epoch;
    } else {
        add_counts(sum_, epoch);
    }
    reports_.push_back(reports_of(epoch));
}

pooled_epochs epoch_pool::finish() {
    // In order, one is the smaller of two as often as others stand behind it.
    std::ranges::sort(reports_);
    double together = 0, all = 0;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
        all += reports_[i];
        together += reports_[i] * static_cast<double>(2 * (reports_.size() - i) - 1);
    }
    return {std::move(sum_), all > 0 ? together / all : 1};
}

namespace {

void note_unexplained(estimates &out, const metric &m, std::uint64_t unexplained) {
    if (unexplained > 0) {
        out.notes.push_back(fmt::format(
            "{}: {} relaxed because of what they had said, which never came: not counted", m.name,
            counted(unexplained, "release")));
    }
}

// Releases that were relaxed because of what they had said are no sample of all.
void note_selected(estimates &out, const metric &m, std::uint64_t selected,
                   std::optional<std::uint32_t> level) {
    if (selected == 0 || level == 0U) {
        return;
    }
    const std::string what = fmt::format("{}: {} relaxed because of what they had said: ", m.name,
                                         counted(selected, "release"));
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

// The epochs that are not put into one with others. They are named.
std::set<std::uint32_t> stray_epochs(estimates &out, const metric &m,
                                     std::span<const epoch_record> epochs) {
    std::uint64_t largest = 0, left_out = 0;
    for (const epoch_record &one : epochs) {
        largest = std::max(largest, one.rows);
    }
    std::set<std::uint32_t> stray;
    for (const epoch_record &one : epochs) {
        if (is_stray(one.rows, largest)) {
            stray.insert(one.epoch);
            left_out += one.rows;
        }
    }
    if (!stray.empty()) {
        out.notes.push_back(fmt::format("{}: left out of all epochs: {} in {}, each with less than "
                                        "1 % of the reports of the largest",
                                        m.name, counted(left_out, "report"),
                                        in_runs("epoch", stray)));
    }
    return stray;
}

// What the estimate of all levels has to know of them; of one level alone nothing can be made of
// it.
std::vector<selected_count> selected_of(const counted_epoch &one, const selection &what) {
    return what.level ? std::vector<selected_count>() : one.selected;
}

std::uint64_t releases_of(std::span<const selected_count> selected) {
    std::uint64_t sum = 0;
    for (const selected_count &some : selected) {
        sum += some.count;
    }
    return sum;
}

// Of one level alone it is not known which of it a selection let through; all are at the lowest.
bool is_sample(const selection &what, std::uint64_t selected) {
    return !what.level || what.level == 0U || selected == 0;
}

// How many releases were relaxed because of what they had said; nothing when there are none at all.
std::optional<std::uint64_t> add_all_epochs(estimates &out, const metric &m, counted_epochs &all,
                                            const estimate_request &request) {
    const std::set<std::uint32_t> stray = stray_epochs(out, m, all.epochs());
    epoch_pool pool;
    estimate_request with_selected = request;
    std::uint64_t selected = 0;
    std::uint32_t epochs = 0;
    for (const epoch_record &one : all.epochs()) {
        const auto counted = stray.contains(one.epoch) ? std::nullopt : all.read(one);
        if (counted) {
            ++epochs;
            pool.add(counted->tally);
            selected += releases_of(counted->selected);
            const auto more = selected_of(*counted, request.what);
            auto &known = with_selected.decode.selected;
            known.insert(known.end(), more.begin(), more.end());
        }
    }
    if (epochs == 0) {
        return std::nullopt;
    }
    const pooled_epochs in_one = pool.finish();
    const std::size_t before = out.rows.size();
    add_estimate(out, m, {}, in_one.tally, with_selected, in_one.of_a_value,
                 is_sample(request.what, selected));
    for (std::size_t i = before; i < out.rows.size() && epochs > 1; ++i) {
        out.rows[i].all_epochs = loss_of(m, in_one.tally, epochs);
    }
    return selected;
}

std::optional<std::uint64_t> add_each_epoch(estimates &out, const metric &m, counted_epochs &all,
                                            const estimate_request &request) {
    std::optional<std::uint64_t> selected;
    for (const epoch_record &one : all.epochs()) {
        if (const auto counted = all.read(one)) {
            const std::uint64_t here = releases_of(counted->selected);
            selected = selected.value_or(0) + here;
            estimate_request with_selected = request;
            with_selected.decode.selected = selected_of(*counted, request.what);
            add_estimate(out, m, one.epoch, counted->tally, with_selected, 1,
                         is_sample(request.what, here));
        }
    }
    return selected;
}

// False when there are no releases.
bool add_metric(estimates &out, const store &from, const metric &m,
                const estimate_request &request) {
    counted_epochs all(from, m, request.what);
    const auto selected = request.all_epochs ? add_all_epochs(out, m, all, request)
                                             : add_each_epoch(out, m, all, request);
    note_unexplained(out, m, all.unexplained());
    if (!selected) {
        out.without_reports.push_back(&m);
        return false;
    }
    note_selected(out, m, *selected, request.what.level);
    return true;
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
        anything |= add_metric(out, from, *m, request);
    }
    merge_notes(out.notes);
    if (!anything) {
        out.notes = say_what_is_held(from, with, metrics);
    }
    return out;
}

} // namespace sotto::aggregator
