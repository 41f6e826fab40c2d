// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/estimate.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/discover.hpp"
#include "aggregator/estimate/holdings.hpp"
#include "aggregator/estimate/own_candidates.hpp"
#include "aggregator/estimate/places.hpp"
#include "aggregator/estimate/quality.hpp"
#include "aggregator/estimate/series.hpp"
#include "aggregator/estimate/stray_epochs.hpp"
#include "aggregator/estimate/string_remarks.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace sotto::aggregator {
namespace {

std::vector<const metric *> wanted_metrics(const registry &with, const std::string &name,
                                           const char *option = "--metric") {
    std::vector<const metric *> metrics;
    if (name.empty()) {
        for (const metric &m : with.metrics) {
            metrics.push_back(&m);
        }
    } else if (const metric *m = with.find(name)) {
        metrics.push_back(m);
    } else {
        throw usage_error(fmt::format("{}: no metric {}; the registry has {}", option,
                                      in_quotes(name), joined(with.metric_names())));
    }
    return metrics;
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

// The estimates so far.
struct findings {
    estimates out;
    std::uint64_t by_first = 0; // selective_estimate; of one metric
    bool none_left = false;     // every candidate for one metric was left out

    said_of on(const metric &m, std::optional<std::uint32_t> epoch = {}) {
        return [this, &m, epoch](remark_content content) {
            out.remarks.push_back({&m, epoch, std::move(content)});
        };
    }
};

void note_quality(const said_of &say, const quality &found) {
    if (found.impossible > 0) {
        say(impossible_counts{found.impossible, found.counts});
    }
    if (found.sum_is_impossible()) {
        say(impossible_sum{*found.sum_error});
    }
}

// Noise has mean 0; what a device takes from a value before it adds noise is nobody's to know.
void note_clipping(const said_of &say, const metric &m) {
    const auto range = m.range();
    if (!range || !range->l1_half) {
        return;
    }
    const std::int64_t sum = std::int64_t{range->min} + range->max, middle = sum >> 1;
    if (m.value_size() * (range->max - middle) > std::int64_t{*range->l1_half}) {
        say(clipped_numbers{middle, *range->l1_half});
    }
}

void add_unanswered(estimates &out, const metric &m, std::optional<std::uint32_t> epoch,
                    const metric_tally &tally, std::uint64_t candidates, no_row why) {
    unanswered question = {&m, epoch, 0, 0, candidates, why};
    for (std::uint32_t level = 0; level < tally.size(); ++level) {
        question.reports += tally[level].reports;
        if (tally[level].reports > 0) {
            question.mixed = question.reports > tally[level].reports;
            question.level = level;
        }
    }
    out.without_rows.push_back(question);
}

no_row why_no_rows(const metric &m, const metric_estimate &found, std::size_t candidates,
                   bool none_left) {
    if (none_left) {
        return has_texts(m) ? no_row::candidates_too_long : no_row::candidates_unknown;
    }
    return candidates == 0          ? no_row::no_candidates
           : found.screened_out > 0 ? no_row::none_detected
                                    : no_row::none_told_apart;
}

// Every release at the level below its selection: of those, each level is a sample again.
metric_tally before_selection(metric_tally tally, std::span<const selected_count> selected) {
    for (const selected_count &release : selected) {
        tally[release.level].reports -= release.count;
        tally[release.level].ones[release.value] -= release.count;
        tally[release.low_level].reports += release.count;
        tally[release.low_level].ones[release.low_value] += release.count;
    }
    return tally;
}

// `is_sample`: are the releases at each level, but for those that the request knows as selected, no
// others than chance would have?
void add_estimate(findings &answer, const metric &m, std::optional<std::uint32_t> epoch,
                  const metric_tally &tally, const estimate_request &request, double of_a_value = 1,
                  bool is_sample = true) {
    decode_options options = request.decode;
    options.of_a_value = of_a_value;
    metric_estimate found = estimate_metric(m, epoch, tally, options);
    const said_of say = answer.on(m, epoch);
    if (epoch) {
        answer.out.epochs_read[&m].insert(*epoch);
    }
    if (found.levels_differ) {
        say(differing_levels{});
    }
    if (found.cut_boxes > 0) {
        say(cut_boxes{found.cut_boxes, found.rows.size()});
    }
    if (has_strings(m) && request.decode.candidates.empty() && !answer.none_left) {
        say(no_candidates{has_texts(m) ? 0 : m.value_size()});
    } else {
        note_strings(say, found);
    }
    if (found.is_misfit && !request.discover.empty() && !found.strings_are_missing) {
        say(other_texts{found.misfit * found.freedom, found.freedom});
    }
    if (const std::size_t candidates = request.decode.candidates.size(); found.rows.empty()) {
        add_unanswered(answer.out, m, epoch, tally, candidates,
                       why_no_rows(m, found, candidates, answer.none_left));
    }
    if (is_sample) {
        const metric_tally drawn = before_selection(tally, request.decode.selected);
        note_quality(say, check_quality(m, drawn, of_a_value));
    }
    answer.by_first += found.by_first;
    for (estimate_row &row : found.rows) {
        row.level = request.what.level;
        answer.out.rows.push_back(std::move(row));
    }
}

// A page shows fewer epochs of what is not one number each; a million rows are some 300 MB.
epoch_limits limits_of(const metric &m, const estimate_request &request) {
    constexpr std::size_t rows = 1'000'000, fewest = 12;
    const bool is_number =
        m.type == SOTTO_TYPE_BOOLEAN ||
        (is_mean(m) && m.type != SOTTO_TYPE_VECTOR && answers(m) != answer_shape::distribution);
    const std::size_t of_epoch = has_strings(m) ? request.decode.candidates.size()
                                 : is_number    ? 1
                                                : m.value_size();
    epoch_limits limits = {is_number ? request.epochs : request.epochs_of_values, request.nearby};
    limits.newest =
        std::min(limits.newest, std::max(fewest, rows / std::max<std::size_t>(1, of_epoch)));
    return limits;
}

std::vector<epoch_record> epochs_to_estimate(const said_of &say, const metric &m,
                                             const counted_epochs &counted,
                                             const estimate_request &request) {
    epoch_choice chosen = choose_epochs(counted.epochs(), limits_of(m, request));
    if (!chosen.stray.empty()) {
        say(stray_epochs_left_out{{chosen.stray_reports, std::move(chosen.stray)}});
    }
    if (!chosen.old.empty()) {
        say(old_epochs_left_out{{chosen.old_reports, std::move(chosen.old)}});
    }
    return std::move(chosen.each);
}

std::uint32_t highest_level(const metric_tally &tally) {
    std::uint32_t level = 0;
    for (std::uint32_t i = 0; i < tally.size(); ++i) {
        level = tally[i].reports > 0 ? i : level;
    }
    return level;
}

// Rows of the last metric; a device may have reported a text to each.
void count_stages(std::span<estimate_row> rows, const std::vector<prefix_stage> &stages) {
    double others = 0;
    for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
        others += joint_epsilon(*stages[i].subject, highest_level(stages[i].tally));
    }
    for (estimate_row &row : rows) {
        row.stages = static_cast<std::uint32_t>(stages.size());
        row.joint_epsilon += others;
        if (row.relaxed) {
            row.relaxed->joint_epsilon += others;
        }
    }
}

// Where nothing of what was asked for is there.
std::vector<remark> say_what_there_is(const store &from, const registry &with,
                                      const std::vector<const metric *> &metrics,
                                      const selection &what) {
    if (what.epoch && !what.level) {
        if (auto there_are = which_epochs_are_held(from, with, metrics, *what.epoch)) {
            return {{nullptr, {}, std::move(*there_are)}};
        }
    }
    std::vector<remark> remarks = what_is_held(from, with, metrics);
    if (what.epoch && remarks.empty()) {
        remarks.push_back({nullptr, {}, store_is_empty{}});
    }
    return remarks;
}

estimates estimate_discovered(const store &from, const registry &with,
                              const estimate_request &request) {
    std::vector<const metric *> metrics;
    for (const std::string &name : request.discover) {
        metrics.push_back(wanted_metrics(with, name, "--discover").front());
    }
    check_stages(metrics, request.alphabet.size());
    check_level(metrics, request.what);
    std::vector<counted_epochs> counted;
    for (const metric *m : metrics) {
        counted.emplace_back(from, *m, request.what);
    }
    findings answer;
    estimates &out = answer.out;
    for (const metric *m : metrics) {
        out.stages.push_back({m, 0});
    }
    bool anything = false;
    const metric &last_metric = *metrics.back();
    const said_of say = answer.on(last_metric);
    for (const epoch_record &epoch :
         epochs_to_estimate(say, last_metric, counted.back(), request)) {
        const auto last = counted.back().read(epoch);
        if (!last) {
            continue;
        }
        anything = true;
        std::vector<prefix_stage> stages;
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            auto at = counted[i].read(epoch.epoch);
            stages.push_back({metrics[i], at ? std::move(at->tally) : empty_tally(*metrics[i])});
            out.stages[i].level = std::max(out.stages[i].level, highest_level(stages.back().tally));
        }
        estimate_request found = request;
        discovered texts = discover(stages, request.alphabet, request.decode);
        found.decode.candidates = std::move(texts.candidates);
        for (std::size_t i = 0; i < texts.found.size(); ++i) {
            out.epochs_read[metrics[i]].insert(epoch.epoch);
            note_stage(answer.on(*metrics[i], epoch.epoch), *metrics[i], texts.found[i]);
        }
        const std::size_t before = out.rows.size(), unanswered_before = out.without_rows.size();
        if (!found.decode.candidates.empty()) {
            add_estimate(answer, *metrics.back(), epoch.epoch, last->tally, found);
        }
        std::erase_if(out.rows, [](const estimate_row &row) { return !*row.detected; });
        count_stages(std::span(out.rows).subspan(before), stages);
        out.without_rows.resize(unanswered_before);
        if (out.rows.size() == before) { // no text was found in this epoch
            add_unanswered(out, *metrics.back(), epoch.epoch, last->tally, 1,
                           no_row::none_discovered);
        }
    }
    if (!anything) {
        out.without_reports.push_back(metrics.back());
        out.remarks = say_what_there_is(from, with, metrics, request.what);
    }
    return std::move(out);
}

void note_unexplained(const said_of &say, std::uint64_t unexplained) {
    if (unexplained > 0) {
        say(selected_unexplained{unexplained});
    }
}

// Releases that were relaxed because of what they had said are no sample of all.
void note_selected(const said_of &say, const metric &m, std::uint64_t selected,
                   std::uint64_t by_first, std::optional<std::uint32_t> level) {
    if (selected == 0 || level == 0U) {
        return;
    }
    if (level) {
        return say(selected_level{selected, *level});
    }
    if (!allows_for_selection(m)) {
        return say(selected_biased{selected, m.mechanism_name});
    }
    if (selected > by_first) {
        say(selected_weighted{selected - by_first, 2 * selected_weight});
    }
    if (by_first > 0) {
        say(selected_too_few{by_first});
    }
}

// The loss of that many epochs' releases at `level` and all below it. `added_up` is the sum over
// the epochs, each up to its own highest level.
pooled_loss loss_of(const metric &m, std::uint32_t level, std::uint32_t epochs, double added_up) {
    constexpr std::uint32_t off_the_scale = 0xffffffff;
    if (m.cost_reports > 0) {
        const std::uint32_t cost = m.cost(level, epochs * m.per_epoch);
        return {epochs, cost == off_the_scale ? HUGE_VAL : std::ldexp(cost, -20)};
    }
    return {epochs, added_up};
}

// The epochs that are not put into one with others. They are named.
std::set<std::uint32_t> stray_epochs(const said_of &say, std::span<const epoch_record> epochs) {
    const std::uint64_t usual = usual_reports(epochs);
    std::uint64_t left_out = 0;
    std::set<std::uint32_t> stray;
    for (const epoch_record &epoch : epochs) {
        if (is_stray(epoch.rows, usual)) {
            stray.insert(epoch.epoch);
            left_out += epoch.rows;
        }
    }
    if (!stray.empty()) {
        say(stray_epochs_not_pooled{{left_out, stray}});
    }
    return stray;
}

// The estimate of all levels needs them; one level alone can't use them.
std::vector<selected_count> selected_of(const counted_epoch &counted, const selection &what) {
    return what.level ? std::vector<selected_count>() : counted.selected;
}

std::uint64_t releases_of(std::span<const selected_count> selected) {
    std::uint64_t sum = 0;
    for (const selected_count &some : selected) {
        sum += some.count;
    }
    return sum;
}

// At one level alone it is not known which releases a selection let through; all are at the lowest.
bool is_sample(const selection &what, std::uint64_t selected) {
    return !what.level || what.level == 0U || selected == 0;
}

// How many releases were relaxed because of what they had said; nothing when there are none at all.
std::optional<std::uint64_t> add_all_epochs(findings &answer, const said_of &say, const metric &m,
                                            counted_epochs &history,
                                            const estimate_request &request) {
    const std::set<std::uint32_t> stray = stray_epochs(say, history.epochs());
    epoch_pool pool;
    estimate_request with_selected = request;
    std::uint64_t selected = 0;
    std::uint32_t epochs = 0;
    double added_up = 0;
    for (const epoch_record &epoch : history.epochs()) {
        const auto counted = stray.contains(epoch.epoch) ? std::nullopt : history.read(epoch);
        if (counted) {
            ++epochs;
            added_up += m.per_epoch * joint_epsilon(m, highest_level(counted->tally));
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
    const std::size_t before = answer.out.rows.size();
    add_estimate(answer, m, {}, in_one.tally, with_selected, in_one.of_a_value,
                 is_sample(request.what, selected));
    for (std::size_t i = before; i < answer.out.rows.size() && epochs > 1; ++i) {
        answer.out.rows[i].all_epochs = loss_of(m, highest_level(in_one.tally), epochs, added_up);
    }
    return selected;
}

std::optional<std::uint64_t> add_each_epoch(findings &answer, const said_of &say, const metric &m,
                                            counted_epochs &history,
                                            const estimate_request &request) {
    std::optional<std::uint64_t> selected;
    for (const epoch_record &epoch : epochs_to_estimate(say, m, history, request)) {
        if (const auto counted = history.read(epoch)) {
            const std::uint64_t here = releases_of(counted->selected);
            selected = selected.value_or(0) + here;
            estimate_request with_selected = request;
            with_selected.decode.selected = selected_of(*counted, request.what);
            add_estimate(answer, m, epoch.epoch, counted->tally, with_selected, 1,
                         is_sample(request.what, here));
        }
    }
    return selected;
}

// Reports there may be, but none at that level.
void note_level(const said_of &say, const metric &m, std::uint32_t level, bool has_reports) {
    if (level >= m.level_count()) {
        say(no_such_level{level, m.level_count() - 1});
    } else if (has_reports) {
        say(no_release_at_level{level});
    }
}

// The epochs that a counter's sums are shown of: those asked for, or the newest. Sums have older
// ones too, but no stray ones.
std::set<std::uint32_t> epochs_to_show(const said_of &say, const epoch_choice &chosen,
                                       const estimate_request &request) {
    if (!chosen.stray.empty()) {
        say(stray_epochs_left_out{{chosen.stray_reports, chosen.stray}});
    }
    if (request.what.epoch) {
        return {*request.what.epoch};
    }
    if (request.all_epochs) {
        return {chosen.each.back().epoch};
    }
    if (!chosen.old.empty()) {
        say(old_epochs_not_shown{{chosen.old_reports, chosen.old}});
    }
    std::set<std::uint32_t> shown;
    for (const epoch_record &epoch : chosen.each) {
        shown.insert(epoch.epoch);
    }
    return shown;
}

// A counter's epochs are read together, as rows lie over several. False when there are none.
bool add_counter(findings &answer, const store &from, const metric &m,
                 const estimate_request &request) {
    const said_of say = answer.on(m);
    counted_epochs history(from, m, {.epoch = {}, .level = request.what.level});
    const epoch_choice chosen = choose_epochs(history.epochs(), limits_of(m, request));
    series_tallies tallies;
    for (const epoch_record &epoch : history.epochs()) {
        if (chosen.stray.contains(epoch.epoch)) {
            continue;
        }
        if (auto counted = history.read(epoch)) {
            note_quality(answer.on(m, epoch.epoch), check_quality(m, counted->tally, 1));
            tallies[epoch.epoch] = std::move(counted->tally.front());
        }
    }
    std::vector<estimate_row> rows;
    if (!tallies.empty()) {
        rows = estimate_series(
            m, tallies, {request.window, request.decay, request.smoothed, request.decode.coalition},
            say);
        const std::set<std::uint32_t> shown = epochs_to_show(say, chosen, request);
        std::erase_if(rows, [&](const estimate_row &row) { return !shown.contains(*row.epoch); });
    }
    if (rows.empty()) {
        answer.out.without_reports.push_back(&m);
        return false;
    }
    for (estimate_row &row : rows) {
        answer.out.epochs_read[&m].insert(*row.epoch);
        row.level = request.what.level;
        answer.out.rows.push_back(std::move(row));
    }
    return true;
}

// False when there are no releases.
bool add_metric(findings &answer, const store &from, const metric &m, estimate_request request) {
    const said_of say = answer.on(m);
    counted_epochs history(from, m, request.what);
    own_candidates own = own_candidates_of(m, std::move(request.decode.candidates));
    request.decode.candidates = std::move(own.texts);
    answer.none_left = own.left_out && request.decode.candidates.empty();
    answer.by_first = 0;
    const auto selected = request.all_epochs ? add_all_epochs(answer, say, m, history, request)
                                             : add_each_epoch(answer, say, m, history, request);
    note_unexplained(say, history.unexplained());
    if (!selected) {
        answer.out.without_reports.push_back(&m);
        if (request.what.level) {
            note_level(say, m, *request.what.level, !history.epochs().empty());
        }
        return false;
    }
    if (own.left_out) {
        answer.out.remarks.push_back({&m, {}, *own.left_out});
    }
    note_selected(say, m, *selected, answer.by_first, request.what.level);
    note_clipping(say, m);
    return true;
}

bool add_answer(findings &answer, const store &from, const metric &m,
                const estimate_request &request) {
    switch (answers(m)) {
    case answer_shape::sums_over_time:
        return add_counter(answer, from, m, request);
    case answer_shape::counts:
    case answer_shape::strings:
    case answer_shape::means:
    case answer_shape::distribution:
    case answer_shape::sums_over_places:
        break;
    }
    return add_metric(answer, from, m, request);
}

} // namespace

estimates estimate(const store &from, const registry &with, const estimate_request &request) {
    if (!request.discover.empty()) {
        return estimate_discovered(from, with, request);
    }
    const std::vector<const metric *> metrics = wanted_metrics(with, request.metric);
    check_level(metrics, request.what);
    check_ranges(metrics, request.decode.ranges);
    check_boxes(metrics, request.decode.boxes);
    findings answer;
    bool anything = false;
    for (const metric *m : metrics) {
        anything |= add_answer(answer, from, *m, request);
    }
    if (!anything) {
        answer.out.remarks = say_what_there_is(from, with, metrics, request.what);
        return std::move(answer.out);
    }
    for (remark &rest : what_is_not_counted(from, with, metrics, request.what.epoch)) {
        answer.out.remarks.push_back(std::move(rest));
    }
    return std::move(answer.out);
}

} // namespace sotto::aggregator
