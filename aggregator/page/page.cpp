// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/page.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/page/assets.hpp"
#include "aggregator/page/html.hpp"
#include "aggregator/page/privacy.hpp"
#include "aggregator/page/section.hpp"
#include "aggregator/text/remark_words.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string policy() {
    std::string scripts = "; script-src " + csp_hash(page_find);
    if (!page_chart_library.empty()) {
        scripts += fmt::format(" {} {}", csp_hash(page_chart_library), csp_hash(page_charts));
    }
    return fmt::format("default-src 'none'; style-src {}{}; base-uri 'none'; form-action 'none'",
                       csp_hash(page_style), scripts);
}

std::string head(const registry &known) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{}: what the reports say</title>\n<style>{}</style>\n</head>\n",
                       policy(), html_text(known.name), page_style);
}

// The page's own comes first: what it opens for a printer is then drawn.
std::string scripts() {
    std::string text = fmt::format("<script>{}</script>\n", page_find);
    if (!page_chart_library.empty()) {
        text += fmt::format("<script>{}</script>\n<script>{}</script>\n", page_chart_library,
                            page_charts);
    }
    return text;
}

// A search is for more metrics than a reader sees at once. A script shows it, and makes it work.
constexpr std::size_t metrics_seen = 8;

std::string find_box(const std::vector<metric_findings> &metrics) {
    if (metrics.size() <= metrics_seen) {
        return "";
    }
    std::set<std::string> types;
    for (const metric_findings &metric_found : metrics) {
        types.insert(metric_found.subject->type_name);
    }
    std::string options = "<option value=\"\">all types</option>";
    for (const std::string &type : types) {
        options += fmt::format("<option>{}</option>", html_text(type));
    }
    return fmt::format("<div class=\"find\" role=\"search\" hidden>\n"
                       "<label>Find <input type=\"search\"></label>\n"
                       "<label>Type <select>{}</select></label>\n"
                       "<output aria-live=\"polite\"></output>\n</div>\n",
                       options);
}

std::string not_counted(const std::optional<rejections> &rejected) {
    std::string text =
        "<section aria-labelledby=\"not-counted\">\n<h2 id=\"not-counted\">Not counted, and "
        "why</h2>\n";
    if (!rejected) {
        text += "<p>This store keeps no account of rejected reports: sotto ingest says how many "
                "there were, and why, when it reads a file.</p>\n";
    } else if (rejected->total() == 0) {
        text += "<p>No report was rejected.</p>\n";
    } else {
        text += "<details><summary>Rejected " + grouped(rejected->total()) +
                " in all</summary>\n<table>\n<caption>Reasons</caption>\n<thead><tr><th "
                "scope=\"col\">Reason</th><th scope=\"col\">How "
                "many</th></tr></thead>\n<tbody>\n";
        for (std::size_t i = 0; i < reason_count; ++i) {
            if (const auto why = static_cast<reason>(i); rejected->count(why) > 0) {
                text += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                                    html_text(reason_text(why)), grouped(rejected->count(why)));
            }
        }
        text += "</tbody>\n</table>\n</details>\n";
    }
    return text + "</section>\n";
}

constexpr std::size_t remarks_seen = 5;

std::string list_of(std::span<const std::string> lines) {
    std::string items;
    for (const std::string &line : lines) {
        items += "<li>" + html_name(line) + "</li>\n";
    }
    return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
}

// The first of them, and the others folded; "" where there is none.
std::string remark_items(const estimates &found) {
    const std::vector<std::string> lines = remark_lines(found);
    const std::span<const std::string> shown(lines);
    if (shown.size() <= remarks_seen) {
        return list_of(shown);
    }
    return list_of(shown.first(remarks_seen)) +
           fmt::format("<details><summary>{} more</summary>\n", shown.size() - remarks_seen) +
           list_of(shown.subspan(remarks_seen)) + "</details>\n";
}

std::string remarks(const estimates &found) {
    const std::string items = remark_items(found);
    return items.empty() ? ""
                         : "<section aria-labelledby=\"remarks\">\n<h2 id=\"remarks\">To be kept "
                           "in mind</h2>\n" +
                               items + "</section>\n";
}

constexpr const char *how_to_read =
    "<section aria-labelledby=\"how\">\n<details class=\"more\"><summary><h2 id=\"how\">How to "
    "read "
    "this</h2></summary>\n"
    "<p>Every device adds noise to its answer before the answer leaves it. Nobody has seen a true "
    "answer of any one device, not even the maker of this page. The noise is known exactly and is "
    "taken out of the totals.</p>\n"
    "<p><strong>±</strong> is a 95 % interval: nineteen or more of twenty such intervals hold the "
    "answers that the devices would have given without noise. This holds for the largest "
    "estimates, too, which are read first. Noise helped them to be the largest, so they are too "
    "high on average, and their intervals are wider to allow for it. An interval is about these "
    "devices alone. Where an interval reaches none or all, its other end is given, as at most or "
    "at least. An estimate may lie below 0 or above 100 %: then the truth is most probably "
    "near that end. The column <em>Made consistent</em> shows possible shares, and is biased for "
    "it.</p>\n"
    "<p><strong>Epsilon</strong> says how private an answer is. The factor that is given beside it "
    "is a limit. A person who sees the answer becomes surer of any true answer against any other "
    "by no more than that, whatever else they know. A factor of 1 would say nothing at all. "
    "This holds for everyone who can't break the ciphers that make the noise (AES-128, ChaCha20, "
    "SHA-256). Epsilons of several answers of one device add up and their factors multiply, unless "
    "a cap is "
    "given. Where one is given, the device remembers the noise of a value: the factor is for a "
    "value that it reports in no other epoch, and all answers of one that comes again count "
    "together.</p>\n"
    "<p>An <strong>epoch</strong> is a reporting period, a day or a week, say. The makers of the "
    "devices chose it, and devices count epochs by number. A device measures again in each.</p>\n"
    "<p>A <strong>level</strong> is one strength of noise. Answers start at level 0, which has the "
    "most. <strong>Relaxing</strong> publishes an answer again at a higher level, with less noise: "
    "the estimate becomes sharper, and the answer less private.</p>\n"
    "<p>A string is <strong>detected</strong> when chance alone hardly explains how often it was "
    "seen. Many strings are asked for at once, and of a hundred that nobody has, a few seem to be "
    "there by chance. So one string has to stand out further than its own interval says: a string "
    "at 2.5 % ± 1.8 % may be <strong>not detected</strong>. This does not mean that nobody has "
    "it.</p>\n"
    "<p class=\"quiet\">A table has the 40 largest values (detected ones, if they are strings), "
    "and a metric its newest epochs. <code>sotto estimate --format csv</code> has the smaller and "
    "the older ones too. Reports that are not counted are named "
    "above.</p>\n</details>\n</section>\n";

// Findings of one metric follow one another.
template <typename Finding>
std::span<const Finding> of_metric(const std::vector<Finding> &findings, const metric &m) {
    const auto first = std::find_if(findings.begin(), findings.end(),
                                    [&](const Finding &finding) { return finding.subject == &m; });
    return {first, std::find_if(first, findings.end(),
                                [&](const Finding &finding) { return finding.subject != &m; })};
}

std::vector<metric_findings> by_metric(const estimates &found, const registry &known) {
    std::vector<metric_findings> metrics;
    for (const metric &m : known.metrics) {
        const metric_findings metric_found = {&m, of_metric(found.rows, m),
                                              of_metric(found.without_rows, m), found.stages};
        if (!metric_found.rows.empty() || !metric_found.without_rows.empty()) {
            metrics.push_back(metric_found);
        }
    }
    return metrics;
}

// The epoch and level that were asked for, as in " of epoch 5 at level 2".
std::string asked_text(const selection &what) {
    return (what.epoch ? fmt::format(" of epoch {}", *what.epoch) : "") +
           (what.level ? fmt::format(" at level {}", *what.level) : "");
}

std::string without_reports(const std::vector<const metric *> &metrics, const selection &what) {
    std::vector<std::string> names;
    for (const metric *m : metrics) {
        names.push_back(html_name(m->shown_name()));
    }
    return fmt::format("<p class=\"quiet\">No reports{} of: {}.</p>\n", asked_text(what),
                       joined(names));
}

// The remarks say why, where there are any.
std::string no_estimates(const estimates &found, const selection &what) {
    const std::string asked = asked_text(what);
    return fmt::format("<p>There are no estimates: the store has no reports{}.</p>\n",
                       asked.empty() ? " of these metrics" : asked) +
           remark_items(found);
}

// "30,000 reports, epochs 0 to 2": it dates the page, which has no date of its own.
std::string newest_text(const std::vector<metric_findings> &metrics, const registry &known) {
    std::uint64_t reports = 0;
    std::set<std::uint32_t> epochs;
    for (const metric_findings &metric_found : metrics) {
        const std::vector<answered_epoch> answered = answered_epochs(metric_found);
        for (const answered_epoch &at : answered) {
            reports += at.reports;
        }
        epochs.merge(epoch_numbers(answered));
    }
    return counted(reports, "report") + ", " +
           (epochs.empty() ? "all epochs" : epochs_text(known.days, epochs));
}

} // namespace

std::string page_of(const estimates &found, const registry &known,
                    const std::optional<rejections> &rejected, const selection &asked) {
    const std::vector<metric_findings> metrics = by_metric(found, known);
    std::string text = head(known) + "<body>\n<header>\n<h1>" + html_name(known.name) + "</h1>\n";
    text += "<p class=\"quiet\">Estimates from the reports, with local differential privacy" +
            (metrics.empty() ? "" : ": " + newest_text(metrics, known)) +
            "</p>\n</header>\n<main>\n";
    if (metrics.empty()) {
        text += no_estimates(found, asked);
    } else {
        text += epsilon_in_words() + all_together_text(metrics, known) + find_box(metrics);
        if (asked.level) {
            text += fmt::format("<p class=\"note\">Counted as published at level {}: what higher "
                                "levels say and cost is left out.</p>\n",
                                *asked.level);
        }
        if (!found.without_reports.empty()) {
            text += without_reports(found.without_reports, asked);
        }
    }
    if (page_chart_library.empty()) {
        text += "<p class=\"note\">This program was built without Chart.js, so there are tables "
                "and no charts.</p>\n";
    }
    text += "<div class=\"metrics\">\n";
    for (const metric_findings &metric_found : metrics) {
        text += metric_section(metric_found);
    }
    return text + "</div>\n" + (metrics.empty() ? "" : remarks(found)) + not_counted(rejected) +
           how_to_read + "</main>\n" + scripts() + "</body>\n</html>\n";
}

} // namespace sotto::aggregator
