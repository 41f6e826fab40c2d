// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/section.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/stray_epochs.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/page/figure.hpp"
#include "aggregator/page/html.hpp"
#include "aggregator/page/privacy.hpp"
#include "aggregator/text/remark_words.hpp"

#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

// Bars that are seen before a metric's numbers are opened, and lines of a trend.
constexpr std::size_t bars_seen = 6, lines_shown = 5;

// A part is seen at once, or folded until somebody opens it.
struct section_parts {
    std::string seen, folded;
};

std::string paragraph(const char *kind, const std::string &text) {
    return fmt::format("<p{}>{}</p>\n", kind, html_name(with_whole_numbers(text)));
}

// " in epoch 5", " on 2024-10-04".
std::string in_epoch_text(const estimate_row &r) {
    return (r.subject->words.days ? " on " : " in ") + epoch_text(r);
}

// `where` is " in epoch 5" below several epochs, else "".
std::string remarks_on(row_group group, const std::string &where = "") {
    std::string text;
    if (const auto want = want_of_reports(group)) {
        text += paragraph(" class=\"note\"",
                          group.front().subject->shown_name() + where + ": " + words_of(*want));
    }
    const estimate_row &widest = widest_of(group);
    if (widest.relaxed) {
        text += paragraph("", fmt::format("Relaxing would buy{}: {}; now it is {}{}.", where,
                                          if_relaxed(widest), pointwise_error_text(widest),
                                          group.size() > 1 ? ", for a value by itself" : ""));
    } else if (widest.mixed) {
        text += paragraph("", fmt::format("The reports{} with the values that were asked for "
                                          "were relaxed already.",
                                          where));
    } else {
        text += paragraph("", fmt::format("The reports{} are at the highest level that the metric "
                                          "has: there is nothing to relax.",
                                          where));
    }
    if (const std::string pooled = if_pooled(widest); !pooled.empty()) {
        text += paragraph("", "Levels" + where + ": " + pooled + ".");
    }
    if (group.front().coalition) {
        text += paragraph("", "Dishonest reports" + where + ": " + if_poisoned(group) +
                                  ", and nothing shows that it did.");
    }
    return text;
}

// "3,000 reports, epochs 0 to 2".
std::string reports_text(std::span<const unanswered> questions) {
    std::uint64_t reports = 0;
    std::set<std::uint32_t> epochs;
    for (const unanswered &question : questions) {
        reports += question.reports;
        if (question.epoch) {
            epochs.insert(*question.epoch);
        }
    }
    return counted(reports, "report") + ", " +
           (epochs.empty() ? "all epochs"
                           : epochs_text(questions.front().subject->words.days, epochs));
}

std::string without_rows(std::span<const unanswered> questions) {
    std::string text;
    for (auto first = questions.begin(); first != questions.end();) {
        const auto last = std::find_if(first, questions.end(), [&](const unanswered &question) {
            return words_of(question) != words_of(*first);
        });
        const std::span<const unanswered> alike(first, last);
        text += paragraph(" class=\"note\"",
                          "No estimate of " + reports_text(alike) + ": " + words_of(*first) + ".");
        const auto largest =
            std::max_element(first, last, [](auto &a, auto &b) { return a.reports < b.reports; });
        if (const auto want = want_of_reports(*largest)) {
            text += paragraph(" class=\"note\"",
                              largest->subject->shown_name() + ": " + words_of(*want));
        }
        first = last;
    }
    return text;
}

// A metric's epochs, newest first, and those that don't count as such.
struct metric_epochs_shown {
    std::vector<row_group> shown;
    std::set<std::uint32_t> stray;
    std::uint64_t stray_reports = 0;
};

metric_epochs_shown newest_first(row_group rows) {
    std::vector<std::uint64_t> reports;
    for_each_group(rows, [&](row_group group) {
        if (group.front().epoch) {
            reports.push_back(group.front().result.reports);
        }
    });
    const std::uint64_t usual = usual_reports(std::move(reports));
    metric_epochs_shown out;
    for_each_group(rows, [&](row_group group) {
        const estimate_row &r = group.front();
        if (r.epoch && is_stray(r.result.reports, usual)) {
            out.stray.insert(*r.epoch);
            out.stray_reports += r.result.reports;
        } else {
            out.shown.push_back(group);
        }
    });
    std::reverse(out.shown.begin(), out.shown.end());
    return out;
}

std::string stray_text(const metric &m, const metric_epochs_shown &epochs) {
    if (epochs.stray.empty()) {
        return "";
    }
    return paragraph(" class=\"note\"",
                     fmt::format("Not shown: {} in {}, {}. Nothing proves which device sent a "
                                 "report, or that its clock was right.",
                                 counted(epochs.stray_reports, "report"),
                                 epochs_text(m.words.days, epochs.stray), stray_in_words));
}

std::string older_text(std::size_t groups, std::size_t shown) {
    return groups > shown ? paragraph(" class=\"quiet\"",
                                      fmt::format("And {} more epochs, all older.", groups - shown))
                          : "";
}

// Where an epoch has one number, all epochs are one table.
section_parts over_epochs(const std::vector<row_group> &groups, row_group rows) {
    shown_rows shown;
    for (std::size_t i = 0; i < std::min(groups.size(), rows_shown); ++i) {
        shown.push_back(&groups[i].front());
    }
    const metric &m = *rows.front().subject;
    const std::string name = html_name(m.shown_name());
    const char *when = rows.front().epoch ? "in each epoch" : "in all epochs together";
    const table_shape shape = {
        fmt::format("metric-{}", m.id),
        is_mean(m) ? fmt::format("Mean of {} {}", name, when)
                   : fmt::format("How many devices say that {} is true, {}", name, when),
        true};
    const estimate_row &newest = groups.front().front();
    return {shown.size() > 1 ? time_figure(shown, shape) : bar_figure(shown, shape, 1),
            row_table(shown, shape, rows) + older_text(groups.size(), shown.size()) +
                remarks_on(groups.front(), groups.size() > 1 ? in_epoch_text(newest) : "")};
}

bool has_means(const metric &m) {
    switch (answers(m)) {
    case answer_shape::counts:
    case answer_shape::strings:
    case answer_shape::distribution:
        return false;
    case answer_shape::means:
    case answer_shape::sums_over_time:
    case answer_shape::sums_over_places:
        break;
    }
    return true;
}

bool is_detected(const estimate_row &r) { return r.detected.value_or(false); }

bool has_any_detected(row_group group) {
    return std::any_of(group.begin(), group.end(), is_detected);
}

// "Values of room", "Strings detected in name".
std::string what_is_shown(row_group group) {
    const metric &m = *group.front().subject;
    const std::string name = html_name(m.shown_name());
    if (has_means(m)) {
        return "Means of " + name;
    }
    if (!group.front().detected) {
        return "Values of " + name;
    }
    return has_any_detected(group)
               ? (has_texts(m) ? "Strings detected in " : "Values detected in ") + name
               : "The largest estimates of " + name + ", none of them detected";
}

std::string table_id(const estimate_row &r) {
    return fmt::format("metric-{}-{}", r.subject->id, r.epoch ? std::to_string(*r.epoch) : "all");
}

// Shares of the bins as a line with a band; its numbers stand in a table that may be opened.
section_parts shape_parts(row_group group) {
    shown_rows bins;
    for (const estimate_row &r : group.subspan(without_bins(group).size())) {
        bins.push_back(&r);
    }
    const metric &m = *group.front().subject;
    const std::string unit = m.words.unit.empty() ? "" : " in " + html_name(m.words.unit);
    const table_shape shape = {table_id(*bins.front()) + "-bins",
                               fmt::format("Shares of {}{}, {}", html_name(m.shown_name()), unit,
                                           epoch_text(*bins.front())),
                               false};
    return {bin_figure(bins, shape), "<details><summary>Bins</summary>\n" +
                                         row_table(bins, shape, {bins.front(), bins.size()}) +
                                         "</details>\n"};
}

section_parts distribution_in_epoch(row_group group) {
    const estimate_row &first = group.front();
    const row_group numbers = without_bins(group);
    const table_shape shape = {table_id(first),
                               fmt::format("Mean and quantiles of {}, {}",
                                           html_name(first.subject->shown_name()),
                                           epoch_text(first)),
                               false};
    const section_parts bins = shape_parts(group);
    return {bins.seen, row_table(largest(group), shape, numbers) + bins.folded + remarks_on(group)};
}

// A value that is not detected is mostly noise, beside those that are.
shown_rows values_shown(row_group group) {
    shown_rows shown = largest(group);
    if (has_any_detected(group)) {
        std::erase_if(shown, [](const estimate_row *r) { return !is_detected(*r); });
    }
    return shown;
}

section_parts in_epoch(row_group group) {
    if (is_distribution(group)) {
        return distribution_in_epoch(group);
    }
    const estimate_row &first = group.front();
    const shown_rows shown = values_shown(group);
    const table_shape shape = {
        table_id(first), fmt::format("{}, {}", what_is_shown(group), epoch_text(first)), false};
    std::string text = row_table(shown, shape, group);
    if (group.size() > shown.size()) {
        text += paragraph(
            " class=\"quiet\"",
            fmt::format("And {} more, {}.", grouped(group.size() - shown.size()),
                        has_any_detected(group) ? "smaller or not detected" : "all smaller"));
    }
    return {bar_figure(shown, shape, bars_seen), text + remarks_on(group)};
}

// The newest epoch's largest values, or a distribution's mean, over the epochs that have a table.
std::string trend(std::span<const row_group> groups) {
    if (groups.size() < 2) {
        return "";
    }
    shown_rows values = is_distribution(groups.front()) ? shown_rows{&groups.front().front()}
                                                        : values_shown(groups.front());
    std::ranges::stable_sort(values, [](const estimate_row *a, const estimate_row *b) {
        return a->result.value > b->result.value;
    });
    values.resize(std::min(values.size(), lines_shown));
    std::vector<std::string> tables;
    for (const row_group group : groups) {
        tables.push_back(table_id(group.front()));
    }
    return "<h3>Over epochs</h3>\n" + trend_figure(values, tables);
}

// The newest epoch is seen first; the older ones are folded, each by itself.
section_parts each_epoch(const std::vector<row_group> &groups) {
    const std::span<const row_group> shown(groups.begin(), std::min(groups.size(), epochs_shown));
    section_parts parts;
    std::string older;
    for (const row_group group : shown) {
        const section_parts epoch = in_epoch(group);
        const std::string heading = "<h3>" + epoch_text(group.front()) + "</h3>";
        if (group.data() == shown.front().data()) {
            parts = {epoch.seen, heading + "\n" + epoch.folded};
        } else {
            older += "<details><summary>" + heading + "</summary>\n" + epoch.seen + epoch.folded +
                     "</details>\n";
        }
    }
    parts.folded = trend(shown) + parts.folded + older + older_text(groups.size(), shown.size());
    return parts;
}

// The caption of the largest estimate.
std::string largest_text(row_group group, const estimate_row &r) {
    const std::string name = html_name(row_name(r));
    if (has_means(*r.subject)) {
        return "largest mean, at " + name;
    }
    if (!r.detected) {
        return "most frequent: " + name;
    }
    return fmt::format("most frequent: {}; {} of {} detected", name,
                       std::count_if(group.begin(), group.end(), is_detected),
                       counted(group.size(), has_texts(*r.subject) ? "string" : "value"));
}

// The words in the largest type where the estimate would mislead there.
const char *nothing_to_say(row_group newest) {
    if (has_any_detected(newest)) {
        return nullptr;
    }
    return want_of_reports(newest)   ? "too few reports to say"
           : newest.front().detected ? "none detected"
                                     : nullptr;
}

// One sum of a counter over time, with a band.
section_parts sum_over_time(const shown_rows &shown, std::size_t at) {
    const estimate_row &newest = *shown.front();
    const table_shape shape = {fmt::format("metric-{}-sum-{}", newest.subject->id, at),
                               fmt::format("Mean of a device, {}: {}",
                                           html_name(newest.subject->shown_name()),
                                           html_text(row_name(newest))),
                               true};
    return {time_figure(shown, shape), row_table(shown, shape, row_group(&newest, 1))};
}

// The first sum is seen first.
section_parts sums_over_time(const std::vector<row_group> &groups) {
    section_parts parts;
    for (std::size_t i = 0; i < groups.front().size(); ++i) {
        shown_rows shown;
        for (const row_group group : groups) {
            shown.push_back(&group[i]);
        }
        const section_parts sum = sum_over_time(shown, i);
        const std::string heading = "<h3>" + html_text(row_name(*shown.front())) + "</h3>\n";
        (i == 0 ? parts.seen : parts.folded) += i == 0 ? sum.seen : heading + sum.seen;
        parts.folded += (i == 0 ? heading : "") + "<details><summary>Numbers</summary>\n" +
                        sum.folded + "</details>\n";
    }
    if (groups.front().front().coalition) {
        parts.folded += paragraph("", "Dishonest reports: " + if_poisoned(groups.front()) +
                                          ", and nothing shows that it did.");
    }
    return parts;
}

bool has_one_number(row_group rows) { return is_only_row(rows.front()) && !is_distribution(rows); }

std::string summed_text(const estimate_row &r) {
    const std::uint32_t epochs = r.summed ? r.summed->epochs : 1;
    return epochs > 1
               ? fmt::format("{} of {}, mean of a device", row_name(r), counted(epochs, "epoch"))
               : "mean of a device";
}

// A metric's newest estimate in a line or two.
std::string answer(const metric_findings &found, row_group newest) {
    const auto most = std::max_element(newest.begin(), newest.end(), [](auto &a, auto &b) {
        return a.result.value < b.result.value;
    });
    const bool is_summed = answers(*found.subject) == answer_shape::sums_over_time;
    const estimate_row &r = is_summed || is_distribution(newest) ? newest.front() : *most;
    const std::string of_what = is_summed        ? summed_text(r)
                                : is_only_row(r) ? row_name(r)
                                                 : largest_text(newest, r);
    const char *instead = nothing_to_say(newest);
    return fmt::format(
        "<p class=\"headline\"><strong>{}</strong> <small>{}{}, {}, {}</small></p>\n",
        instead != nullptr ? instead : headline(r),
        instead != nullptr ? estimate_text(r) + ", " : "", of_what, epoch_text(r),
        counted(r.result.reports, "report"));
}

section_parts parts_of(const metric_findings &found) {
    const metric_epochs_shown epochs = newest_first(found.rows);
    const section_parts parts = answers(*found.subject) == answer_shape::sums_over_time
                                    ? sums_over_time(epochs.shown)
                                : has_one_number(found.rows) ? over_epochs(epochs.shown, found.rows)
                                                             : each_epoch(epochs.shown);
    return {answer(found, epochs.shown.front()) + parts.seen,
            stray_text(*found.subject, epochs) + parts.folded + without_rows(found.without_rows)};
}

section_parts nothing_of(const metric_findings &found) {
    return {
        fmt::format("<p class=\"headline\"><strong>no estimate</strong> <small>{}</small></p>\n",
                    reports_text(found.without_rows)) +
            without_rows(found.without_rows),
        ""};
}

std::string purpose(const metric &m) {
    return m.words.description.empty() ? "" : paragraph(" class=\"purpose\"", m.words.description);
}

// Words that a reader may look for.
std::string findable(const metric &m) {
    return html_text(fmt::format("{} {} {}", m.shown_name(), m.name, m.words.description));
}

} // namespace

std::string metric_section(const metric_findings &found) {
    const metric &m = *found.subject;
    const section_parts parts = found.rows.empty() ? nothing_of(found) : parts_of(found);
    return fmt::format("<section class=\"metric\" aria-labelledby=\"about-{0}\" data-find=\"{1}\" "
                       "data-type=\"{2}\">\n<h2 id=\"about-{0}\">{3}</h2>\n{4}{5}"
                       "<details class=\"more\"><summary>Numbers and privacy</summary>\n{6}{7}"
                       "</details>\n</section>\n",
                       m.id, findable(m), m.type_name, html_name(m.shown_name()), purpose(m),
                       parts.seen, parts.folded, promise_text(found));
}

} // namespace sotto::aggregator
