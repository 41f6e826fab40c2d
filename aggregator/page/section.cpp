// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/section.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/stray_epochs.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/page/html.hpp"
#include "aggregator/page/privacy.hpp"
#include "aggregator/text/remark_words.hpp"

#include "sotto/registry.h"

#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

using shown_rows = std::vector<const estimate_row *>;

struct name_of_value {
    std::string operator()(std::monostate) const { return "mean"; }
    std::string operator()(bool) const { return "true"; }
    std::string operator()(const std::string &name) const { return name; }
    std::string operator()(const quantile &at) const { return value_text(at) + " quantile"; }
    std::string operator()(const auto &other) const { return value_text(other); }
};

// The name of a row, whole: a boolean and a mean have only one.
std::string row_name(const estimate_row &r) { return std::visit(name_of_value{}, r.value); }

// "± 0.9 %", "at most 1.8 %".
std::string in_words(const std::string &interval) {
    const auto after = [&](std::string_view sign) { return interval.substr(sign.size()); };
    return interval.starts_with("≤")   ? "at most" + after("≤")
           : interval.starts_with("≥") ? "at least" + after("≥")
                                       : interval;
}

// "31.4 % ± 0.9 %", "0.9 %, at most 1.8 %".
std::string with_interval(const std::string &estimate, const std::string &interval) {
    return estimate + (interval.starts_with("±") ? " " : ", ") + in_words(interval);
}

// A share, or a mean with its error.
std::string estimate_text(const estimate_row &r) {
    const std::vector<std::string> cells = is_mean(r) ? mean_cells(r) : share_cells(r);
    return is_mean(r) ? cells[2] + " " + cells[3] : with_interval(cells[0], cells[1]);
}

// In the largest type: an estimate where both ends of its interval say something.
std::string headline(const estimate_row &r) {
    if (is_mean(r)) {
        return estimate_text(r);
    }
    const std::vector<std::string> cells = share_cells(r);
    return cells[1].starts_with("±") ? estimate_text(r) : in_words(cells[1]);
}

// "314 ± 40 of 1,000 reports", as far as it is asked for.
std::string count_text(const estimate_row &r, bool with_reports) {
    std::string text;
    if (!is_mean(r)) {
        const std::vector<std::string> cells = share_cells(r);
        text = with_interval(cells[2], cells[3]) + (with_reports ? " " : "");
    }
    return text + (with_reports ? "of " + counted(r.result.reports, "report") : "");
}

struct table_shape {
    std::string id, caption;
    bool by_epoch = false; // a row is an epoch, otherwise a value
};

bool is_as_private(const estimate_row &a, const estimate_row &b) {
    return privacy_text(a) == privacy_text(b) && odds_text(a) == odds_text(b);
}

// Columns that differ between rows, or that only some rows have.
struct table_columns {
    bool reports, privacy, consistent;
};

std::string column_head(const char *name) { return fmt::format("<th scope=\"col\">{}</th>", name); }

// On a phone an estimate and the end of its interval take two lines.
std::string may_break(std::string text) {
    const std::size_t at = text.find(", ");
    return at == std::string::npos ? text : text.insert(at + 2, "<wbr>");
}

std::string table_row(const estimate_row &r, const table_shape &shape, const table_columns &with) {
    const double scale = is_mean(r) ? 1 : 100 / whole_of(r);
    const std::string name = shape.by_epoch ? html_text(epoch_text(r)) : html_name(row_name(r));
    std::string text = fmt::format(
        "<tr data-value=\"{}\" data-low=\"{}\" data-high=\"{}\" data-said=\"{}\">"
        "<th scope=\"row\">{}</th><td class=\"figure\">{} <small>{}</small></td>",
        r.result.value * scale, r.result.ci_low() * scale, r.result.ci_high() * scale,
        estimate_text(r), name, may_break(estimate_text(r)), count_text(r, with.reports));
    if (with.privacy) {
        text += fmt::format("<td>{} <small>{}</small></td>", privacy_text(r), odds_text(r));
    }
    if (with.consistent) {
        text += "<td>" + consistent_share(r) + "</td>";
    }
    return text + "</tr>\n";
}

std::string table(const shown_rows &shown, const table_shape &shape, row_group rows) {
    const estimate_row &first = *shown.front();
    const auto alike = [&](auto is_alike) {
        return std::all_of(shown.begin(), shown.end(),
                           [&](auto *r) { return is_alike(*r, first); });
    };
    const table_columns with = {
        !alike([](auto &a, auto &b) { return a.result.reports == b.result.reports; }),
        !alike(is_as_private), has_consistent(rows)};
    std::vector<std::string> of_all;
    if (!with.reports) {
        of_all.push_back("of " + counted(first.result.reports, "report"));
    }
    if (!with.privacy) {
        of_all.push_back(privacy_text(first));
        of_all.push_back(odds_text(first));
    }
    std::string text = fmt::format(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{0}-caption\">\n"
        "<table id=\"{0}\">\n<caption><span id=\"{0}-caption\">{1}</span>",
        shape.id, shape.caption);
    if (!of_all.empty()) {
        text += " <small>Each number: " + joined(of_all) + "</small>";
    }
    text += "</caption>\n<thead><tr>" + column_head(shape.by_epoch ? "Epoch" : "Value") +
            column_head("Estimate") + (with.privacy ? column_head("How private") : "") +
            (with.consistent ? column_head("Made consistent") : "") + "</tr></thead>\n<tbody>\n";
    for (const estimate_row *r : shown) {
        text += table_row(*r, shape, with);
    }
    return text + "</tbody>\n</table>\n</div>\n";
}

// Shares start at 0; a mean is shown within the range that it may have.
std::string axis(const metric &m) {
    if (const auto range = m.range()) {
        return fmt::format("data-min=\"{}\" data-max=\"{}\"", range->min, range->max);
    }
    return m.type == SOTTO_TYPE_BOOLEAN ? "data-min=\"0\" data-max=\"100\"" : "data-min=\"0\"";
}

// Empty until the script draws it. The table after it says the same in words.
std::string chart(const shown_rows &shown, const table_shape &shape) {
    const metric &m = *shown.front()->subject;
    const auto most = *std::max_element(shown.begin(), shown.end(), [](auto *a, auto *b) {
        return a->result.value < b->result.value;
    });
    std::string label =
        fmt::format("Bar chart with error bars, {} bars: {}", shown.size(), html_text(m.name));
    if (shown.size() > 1) { // whose interval allows for that, but an epoch's does not
        label += shape.by_epoch ? fmt::format("; the longest is {}", epoch_text(*most))
                                : fmt::format("; the longest is {}, {}", html_text(row_name(*most)),
                                              estimate_text(*most));
    } else {
        label += ", " + estimate_text(*most);
    }
    return fmt::format("<figure hidden data-table=\"{0}\" data-unit=\"{1}\" {2}>\n"
                       "<div class=\"plot\"><canvas role=\"img\" aria-label=\"{3}; all numbers are "
                       "in the table below\"></canvas></div>\n</figure>\n",
                       shape.id, is_mean(m) ? "" : " %", axis(m), label);
}

std::string paragraph(const char *kind, const std::string &text) {
    return fmt::format("<p{}>{}</p>\n", kind, html_name(with_whole_numbers(text)));
}

// `where` is " in epoch 5" below several epochs, else "".
std::string remarks_on(row_group group, const std::string &where = "") {
    std::string text;
    if (const auto want = want_of_reports(group)) {
        text += paragraph(" class=\"note\"",
                          group.front().subject->name + where + ": " + words_of(*want));
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
           (epochs.empty() ? "all epochs" : in_runs("epoch", epochs));
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
            text += paragraph(" class=\"note\"", largest->subject->name + ": " + words_of(*want));
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

std::string stray_text(const metric_epochs_shown &epochs) {
    if (epochs.stray.empty()) {
        return "";
    }
    return paragraph(" class=\"note\"",
                     fmt::format("Not shown: {} in {}, {}. Nothing proves which device sent a "
                                 "report, or that its clock was right.",
                                 counted(epochs.stray_reports, "report"),
                                 in_runs("epoch", epochs.stray), stray_in_words));
}

// Where an epoch has one number, all epochs are one chart.
std::string over_epochs(const std::vector<row_group> &groups, row_group rows) {
    shown_rows shown;
    for (std::size_t i = 0; i < std::min(groups.size(), rows_shown); ++i) {
        shown.push_back(&groups[i].front());
    }
    const metric &m = *rows.front().subject;
    const std::string name = html_name(m.name);
    const char *when = rows.front().epoch ? "in each epoch" : "in all epochs together";
    const table_shape shape = {
        fmt::format("metric-{}", m.id),
        is_mean(m) ? fmt::format("Mean of {} {}", name, when)
                   : fmt::format("How many devices say that {} is true, {}", name, when),
        true};
    std::string text = chart(shown, shape) + table(shown, shape, rows);
    if (groups.size() > shown.size()) {
        text += paragraph(" class=\"quiet\"", fmt::format("And {} more epochs, all older.",
                                                          groups.size() - rows_shown));
    }
    const estimate_row &newest = groups.front().front();
    return text + remarks_on(groups.front(), groups.size() > 1 ? " in " + epoch_text(newest) : "");
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
    const std::string name = html_name(m.name);
    if (has_means(m)) {
        return "Means of " + name;
    }
    if (!group.front().detected) {
        return "Values of " + name;
    }
    return has_any_detected(group) ? "Strings detected in " + name
                                   : "The largest estimates of " + name + ", none of them detected";
}

// Shares of the bins as a line with a band; its numbers stand in a table that may be opened.
std::string shape_text(row_group group, const std::string &id) {
    shown_rows bins;
    for (const estimate_row &r : group.subspan(without_bins(group).size())) {
        bins.push_back(&r);
    }
    const metric &m = *group.front().subject;
    const table_shape shape = {
        id + "-bins", fmt::format("Shares of {}, {}", html_name(m.name), epoch_text(*bins.front())),
        false};
    return fmt::format("<figure hidden data-table=\"{0}\" data-kind=\"bins\" data-unit=\" %\">\n"
                       "<div class=\"plot\"><canvas role=\"img\" aria-label=\"Line chart with a "
                       "band, {1} bins: {2}; all numbers are in the table below\"></canvas></div>\n"
                       "</figure>\n<details><summary>Bins</summary>\n",
                       shape.id, bins.size(), html_text(m.name)) +
           table(bins, shape, {bins.front(), bins.size()}) + "</details>\n";
}

std::string distribution_in_epoch(row_group group) {
    const estimate_row &first = group.front();
    const std::string id = fmt::format("metric-{}-{}", first.subject->id,
                                       first.epoch ? std::to_string(*first.epoch) : "all");
    const row_group numbers = without_bins(group);
    const table_shape shape = {id,
                               fmt::format("Mean and quantiles of {}, {}",
                                           html_name(first.subject->name), epoch_text(first)),
                               false};
    return shape_text(group, id) + table(largest(group), shape, numbers) + remarks_on(group);
}

std::string in_epoch(row_group group) {
    if (is_distribution(group)) {
        return distribution_in_epoch(group);
    }
    const estimate_row &first = group.front();
    shown_rows shown = largest(group);
    const bool detected = has_any_detected(group);
    if (detected) { // a value that is not detected is mostly noise
        std::erase_if(shown, [](const estimate_row *r) { return !is_detected(*r); });
    }
    const table_shape shape = {fmt::format("metric-{}-{}", first.subject->id,
                                           first.epoch ? std::to_string(*first.epoch) : "all"),
                               fmt::format("{}, {}", what_is_shown(group), epoch_text(first)),
                               false};
    std::string text = chart(shown, shape) + table(shown, shape, group);
    if (group.size() > shown.size()) {
        text += paragraph(" class=\"quiet\"",
                          fmt::format("And {} more, {}.", grouped(group.size() - shown.size()),
                                      detected ? "smaller or not detected" : "all smaller"));
    }
    return text + remarks_on(group);
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
                       counted(group.size(), "string"));
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

// One sum of a counter over time, with a band; its numbers stand in a table that may be opened.
std::string sum_over_time(const shown_rows &shown, std::size_t at) {
    const estimate_row &newest = *shown.front();
    const std::string sum = row_name(newest);
    const table_shape shape = {
        fmt::format("metric-{}-sum-{}", newest.subject->id, at),
        fmt::format("Mean of a device, {}: {}", html_name(newest.subject->name), sum), true};
    return fmt::format("<h3>{0}</h3>\n<figure hidden data-table=\"{1}\" data-kind=\"time\" "
                       "data-unit=\"\">\n<div class=\"plot\"><canvas role=\"img\" "
                       "aria-label=\"Line chart with a band, {2} epochs: {3}, {0}; all numbers are "
                       "in the table below\"></canvas></div>\n</figure>\n"
                       "<details><summary>Numbers</summary>\n",
                       html_text(sum), shape.id, shown.size(), html_text(newest.subject->name)) +
           table(shown, shape, row_group(&newest, 1)) + "</details>\n";
}

// Newest first, as tables are.
std::string sums_over_time_text(const std::vector<row_group> &groups) {
    std::string text;
    for (std::size_t i = 0; i < groups.front().size(); ++i) {
        shown_rows shown;
        for (const row_group group : groups) {
            shown.push_back(&group[i]);
        }
        text += sum_over_time(shown, i);
    }
    if (groups.front().front().coalition) {
        text += paragraph("", "Dishonest reports: " + if_poisoned(groups.front()) +
                                  ", and nothing shows that it did.");
    }
    return text;
}

bool has_one_number(row_group rows) { return is_only_row(rows.front()) && !is_distribution(rows); }

} // namespace

std::string answer(const metric_findings &found) {
    const row_group rows = found.rows;
    if (rows.empty()) {
        return fmt::format("<a href=\"#about-{}\">{}</a> <strong>no estimate</strong> "
                           "<small>{}</small>",
                           found.subject->id, html_name(found.subject->name),
                           reports_text(found.without_rows));
    }
    const row_group newest = newest_first(rows).shown.front();
    const auto most = std::max_element(newest.begin(), newest.end(), [](auto &a, auto &b) {
        return a.result.value < b.result.value;
    });
    const bool is_summed = answers(*found.subject) == answer_shape::sums_over_time;
    const estimate_row &r = is_summed || is_distribution(newest) ? newest.front() : *most;
    const std::string of_what = is_summed        ? "mean of a device"
                                : is_only_row(r) ? row_name(r)
                                                 : largest_text(newest, r);
    const char *instead = nothing_to_say(newest);
    return fmt::format("<a href=\"#about-{}\">{}</a> <strong>{}</strong> <small>{}{}, {}</small> "
                       "<small>{} · {}: {}</small>",
                       r.subject->id, html_name(r.subject->name),
                       instead != nullptr ? instead : headline(r),
                       instead != nullptr ? estimate_text(r) + ", " : "", of_what, epoch_text(r),
                       counted(r.result.reports, "report"), privacy_text(r), odds_text(r));
}

std::string metric_section(const metric_findings &found) {
    const metric &m = *found.subject;
    const row_group rows = found.rows;
    std::string text =
        fmt::format("<section aria-labelledby=\"about-{0}\">\n<h2 id=\"about-{0}\">{1}</h2>\n",
                    m.id, html_name(m.name));
    text += promise_text(found) + without_rows(found.without_rows);
    if (rows.empty()) {
        return text + "</section>\n";
    }
    const metric_epochs_shown epochs = newest_first(rows);
    const std::vector<row_group> &groups = epochs.shown;
    text += stray_text(epochs);
    if (answers(m) == answer_shape::sums_over_time) {
        return text + sums_over_time_text(groups) + "</section>\n";
    }
    if (has_one_number(rows)) {
        return text + over_epochs(groups, rows) + "</section>\n";
    }
    for (std::size_t i = 0; i < std::min(groups.size(), epochs_shown); ++i) {
        const std::string heading = "<h3>" + epoch_text(groups[i].front()) + "</h3>";
        text += i == 0 ? heading + "\n" + in_epoch(groups[i])
                       : "<details><summary>" + heading + "</summary>\n" + in_epoch(groups[i]) +
                             "</details>\n";
    }
    if (groups.size() > epochs_shown) {
        text += paragraph(" class=\"quiet\"", fmt::format("And {} more epochs, all older.",
                                                          groups.size() - epochs_shown));
    }
    return text + "</section>\n";
}

} // namespace sotto::aggregator
