// SPDX-License-Identifier: Apache-2.0
// Remarks on estimates, as facts: a kind and its numbers. Estimators make them, and
// text/remark_words.cpp words them. A kind has a name, and shows all that it holds for JSON and
// CSV. It holds numbers, texts, lists, or parts with numbers of their own. A kind without words
// does not compile.
#ifndef SOTTO_AGGREGATOR_ESTIMATE_REMARK_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_REMARK_HPP

#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/metric.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace sotto::aggregator {

// --- doubts: counts that no honest devices send, or texts that were not found

// So many of the counts are further out than honest devices' noise brings them.
struct impossible_counts {
    static constexpr const char *kind = "impossible_counts";
    std::uint64_t impossible = 0, counts = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("impossible", impossible);
        show("counts", counts);
    }
};

// The counts of categories do not add up to the reports.
struct impossible_sum {
    static constexpr const char *kind = "impossible_sum";
    double standard_errors = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("standard_errors", standard_errors);
    }
};

// The texts that were discovered do not explain the bits.
struct other_texts {
    static constexpr const char *kind = "other_texts";
    double chi_square = 0, freedom = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("chi_square", chi_square);
        show("degrees_of_freedom", freedom);
    }
};

// So many of the reports are of texts that are longer than the metric may be given.
struct longer_texts {
    static constexpr const char *kind = "longer_texts";
    std::uint64_t low = 0, high = 0, reports = 0;
    std::uint32_t max_bytes = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("ci_low", low);
        show("ci_high", high);
        show("reports", reports);
        show("max_bytes", max_bytes);
    }
};

// --- strings and their candidates

// Strings were reported, or one of so many categories, and there are no candidates to count.
struct no_candidates {
    static constexpr const char *kind = "no_candidates";
    std::uint32_t categories = 0; // 0: strings
    template <typename Visit> void numbers(Visit show) const {
        if (categories > 0) {
            show("categories", categories);
        }
    }
};

// So many candidates were left out: they are none of so many categories.
struct candidates_unknown {
    static constexpr const char *kind = "candidates_unknown";
    std::uint64_t candidates = 0;
    std::uint32_t categories = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("candidates", candidates);
        show("categories", categories);
    }
};

// So many candidates were left out: they are longer than the metric may be given, in bytes.
struct candidates_too_long {
    static constexpr const char *kind = "candidates_too_long";
    std::uint64_t candidates = 0;
    std::uint32_t max_bytes = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("candidates", candidates);
        show("max_bytes", max_bytes);
    }
};

// A few strings by name, and how many there are.
struct named_strings {
    static constexpr std::size_t named = 5;
    explicit named_strings(const std::vector<std::string> &strings)
        : first(strings.begin(),
                strings.begin() + static_cast<std::ptrdiff_t>(std::min(named, strings.size()))),
          count(strings.size()) {}
    std::vector<std::string> first;
    std::uint64_t count;
};

// Strings that have the same bits in every cohort that reported.
struct same_bits {
    static constexpr const char *kind = "same_bits";
    named_strings strings;
    template <typename Visit> void numbers(Visit show) const {
        show("strings", strings.count);
        show("first", strings.first);
    }
};

// Candidates that the bits do not tell from others.
struct candidates_undetermined {
    static constexpr const char *kind = "candidates_undetermined";
    named_strings candidates;
    template <typename Visit> void numbers(Visit show) const {
        show("candidates", candidates.count);
        show("first", candidates.first);
    }
};

// Candidates that were not detected, of too many to tell all from each other.
struct candidates_screened_out {
    static constexpr const char *kind = "candidates_screened_out";
    std::uint64_t candidates = 0;
    template <typename Visit> void numbers(Visit show) const { show("candidates", candidates); }
};

// The candidates do not explain the bits, by a chi-square test.
struct strings_missing {
    static constexpr const char *kind = "strings_missing";
    double chi_square = 0, freedom = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("chi_square", chi_square);
        show("degrees_of_freedom", freedom);
    }
};

// So many prefixes were detected and extended; the others would make too many candidates.
struct prefixes_detected {
    static constexpr const char *kind = "prefixes_detected";
    std::uint64_t extended = 0, left_out = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("extended", extended);
        show("left_out", left_out);
    }
};

// A line of a candidate file begins or ends with white space, and so do `more`.
struct candidates_with_blanks {
    static constexpr const char *kind = "candidates_with_blanks";
    std::string path, text;
    std::uint64_t line = 0, more = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("path", path);
        show("text", text);
        show("line", line);
        show("more", more);
    }
};

// So many lines of a candidate file have a comma: it may be meant as a CSV file.
struct candidates_with_commas {
    static constexpr const char *kind = "candidates_with_commas";
    std::string path;
    std::uint64_t with = 0, lines = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("path", path);
        show("with_comma", with);
        show("lines", lines);
    }
};

// The loss of a device that reports a text to all of so many metrics: once, and however often.
struct discovery_cost {
    static constexpr const char *kind = "discovery_cost";
    std::string metric; // the first
    std::uint64_t metrics = 0;
    double epsilon = 0, epsilon_forever = 0; // infinite: no bound
    template <typename Visit> void numbers(Visit show) const {
        show("metric", metric);
        show("metrics", metrics);
        show("epsilon", epsilon);
        show("epsilon_forever", epsilon_forever);
    }
};

// --- levels, and releases that were relaxed because of what they had said

// The levels tell of different values: the level of a release has to do with its value.
struct differing_levels {
    static constexpr const char *kind = "levels_differ";
    template <typename Visit> void numbers(Visit) const {}
};

// The level that was asked for is above the highest of the metric.
struct no_such_level {
    static constexpr const char *kind = "no_such_level";
    std::uint32_t level = 0;
    std::size_t highest = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("level", level);
        show("highest", highest);
    }
};

// The metric has the level that was asked for, and no release was published at it.
struct no_release_at_level {
    static constexpr const char *kind = "no_release_at_level";
    std::uint32_t level = 0;
    template <typename Visit> void numbers(Visit show) const { show("level", level); }
};

// Selected releases whose first report never came.
struct selected_unexplained {
    static constexpr const char *kind = "selected_unexplained";
    std::uint64_t releases = 0;
    template <typename Visit> void numbers(Visit show) const { show("releases", releases); }
};

// One level alone is no sample of all.
struct selected_level {
    static constexpr const char *kind = "selected_level";
    std::uint64_t releases = 0;
    std::uint32_t level = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("releases", releases);
        show("level", level);
    }
};

// Releases that were selected by their value, by a mechanism that cannot allow for it.
struct selected_biased {
    static constexpr const char *kind = "selected_biased";
    std::uint64_t releases = 0;
    std::string mechanism;
    template <typename Visit> void numbers(Visit show) const {
        show("releases", releases);
        show("mechanism", mechanism);
    }
};

// A dishonest report weighs as much as so many that are false at first only.
struct selected_weighted {
    static constexpr const char *kind = "selected_weighted";
    std::uint64_t releases = 0;
    double weight = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("releases", releases);
        show("weight", weight);
    }
};

// Too few to be weighted: their first reports count.
struct selected_too_few {
    static constexpr const char *kind = "selected_too_few";
    std::uint64_t releases = 0;
    template <typename Visit> void numbers(Visit show) const { show("releases", releases); }
};

// --- numbers, and how many reports there are

// A device clips vectors whose distances from the middle add up to more.
struct clipped_numbers {
    static constexpr const char *kind = "clipped_numbers";
    std::int64_t middle = 0;
    std::uint32_t l1_half = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("middle", middle);
        show("l1_half", l1_half);
    }
};

// The noise of so few reports hides what is estimated; so many would do.
struct too_few_reports {
    static constexpr const char *kind = "too_few_reports";
    double epsilon = 0, needed = 0;
    bool is_mean = false;
    template <typename Visit> void numbers(Visit show) const {
        show("epsilon", epsilon);
        show("needed", needed);
        show("is_mean", is_mean);
    }
};

// A string is found from that share on, above 1 none.
struct too_few_for_strings {
    static constexpr const char *kind = "too_few_for_strings";
    double epsilon = 0, found_from = 0, needed = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("epsilon", epsilon);
        show("found_from", found_from);
        show("needed", needed);
    }
};

// --- epochs

// The epochs that an estimate leaves out, and the reports in them.
struct epochs_left_out {
    std::uint64_t reports = 0;
    std::set<std::uint32_t> epochs;
    template <typename Visit> void numbers(Visit show) const {
        show("reports", reports);
        show("epochs", epochs.size());
        show("epoch_runs", runs_of(epochs));
    }
};
// Stray ones (stray_epochs.hpp) one by one, ones older than those shown, stray ones of all in one.
struct stray_epochs_left_out : epochs_left_out {
    static constexpr const char *kind = "stray_epochs_left_out";
};
struct old_epochs_left_out : epochs_left_out {
    static constexpr const char *kind = "old_epochs_left_out";
};
// Sums have them; no row is of their ends.
struct old_epochs_not_shown : epochs_left_out {
    static constexpr const char *kind = "old_epochs_not_shown";
};
struct stray_epochs_not_pooled : epochs_left_out {
    static constexpr const char *kind = "stray_epochs_not_pooled";
};

// There are none of that epoch, but of these: of the metrics that were asked for, or only of
// others.
struct no_reports_of_epoch {
    static constexpr const char *kind = "no_reports_of_epoch";
    std::uint32_t epoch = 0;
    std::set<std::uint32_t> others;
    bool of_these_metrics = true;
    template <typename Visit> void numbers(Visit show) const {
        show("epoch", epoch);
        show("others", others.size());
        show("other_runs", runs_of(others));
        show("of_these_metrics", of_these_metrics);
    }
};

// --- the store

// A definition of a metric, by the registry that has it. The fingerprint tells registries of one
// version apart. The registry that was asked with has no name here.
struct source_registry {
    std::string name;
    std::uint32_t version = 0, fingerprint = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("registry", name);
        show("version", version);
        show("fingerprint", fingerprint_text(fingerprint));
    }
};

// The store has no reports.
struct store_is_empty {
    static constexpr const char *kind = "store_is_empty";
    template <typename Visit> void numbers(Visit) const {}
};

// Releases, epochs and levels that the store holds of a metric.
struct metric_held {
    static constexpr const char *kind = "metric_held";
    std::string metric;
    std::optional<source_registry> from; // nothing: the registry that was asked with
    std::uint64_t releases = 0;
    std::set<std::uint32_t> epochs, levels;
    template <typename Visit> void numbers(Visit show) const {
        show("metric", metric);
        if (from) {
            from->numbers(show);
        }
        show("releases", releases);
        show("epochs", epochs.size());
        show("epoch_runs", runs_of(epochs));
        show("levels", levels.size());
        show("level_runs", runs_of(levels));
    }
};

// Reports of a metric of this name that is defined otherwise.
struct other_definition {
    static constexpr const char *kind = "other_definition";
    std::uint64_t reports = 0;
    source_registry from;
    template <typename Visit> void numbers(Visit show) const {
        show("reports", reports);
        from.numbers(show);
    }
};

// A metric that the registry does not have.
struct unknown_metric {
    std::string name;
    std::uint64_t reports = 0;
    source_registry from;
    template <typename Visit> void numbers(Visit show) const {
        show("metric", name);
        show("reports", reports);
        from.numbers(show);
    }
};

// Metrics that the store has and the registry does not.
struct unknown_metrics {
    static constexpr const char *kind = "unknown_metrics";
    std::vector<unknown_metric> metrics;
    template <typename Visit> void numbers(Visit show) const { show("metrics", metrics); }
};

// --- two metrics together

// Releases with several values at one level.
struct releases_contradicted {
    static constexpr const char *kind = "releases_contradicted";
    std::uint64_t releases = 0;
    template <typename Visit> void numbers(Visit show) const { show("releases", releases); }
};

// Releases of one metric without exactly one of the other in their envelope.
struct releases_alone {
    static constexpr const char *kind = "releases_alone";
    std::uint64_t releases = 0;
    template <typename Visit> void numbers(Visit show) const { show("releases", releases); }
};

// The fit stopped after so many rounds, before its gap was small enough.
struct not_converged {
    static constexpr const char *kind = "not_converged";
    std::uint64_t rounds = 0;
    double gap = 0; // the log-likelihood's
    template <typename Visit> void numbers(Visit show) const {
        show("rounds", rounds);
        show("gap", gap);
    }
};

// Cells that the reports do not tell from others.
struct cells_undetermined {
    static constexpr const char *kind = "cells_undetermined";
    std::uint64_t cells = 0;
    template <typename Visit> void numbers(Visit show) const { show("cells", cells); }
};

// --- sums over time

// Numbers further from 0 than plausible_max allows: dropped, as if their rows had not closed.
struct implausible_sums {
    static constexpr const char *kind = "implausible_sums";
    std::uint64_t dropped = 0, sums = 0;
    std::uint32_t plausible_max = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("dropped", dropped);
        show("sums", sums);
        show("plausible_max", plausible_max);
    }
};

// Nothing says what is plausible.
struct sums_without_bound {
    static constexpr const char *kind = "sums_without_bound";
    template <typename Visit> void numbers(Visit) const {}
};

// Rows of several epochs that fewer devices closed than counted: some restarted, or came late.
struct rows_of_fewer {
    static constexpr const char *kind = "rows_of_fewer";
    std::uint64_t rows = 0, longer_rows = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("rows", rows);
        show("longer_rows", longer_rows);
    }
};

// Running totals without some devices that had reported before, in their block.
struct totals_of_fewer {
    static constexpr const char *kind = "totals_of_fewer";
    std::uint64_t fewer = 0, totals = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("fewer", fewer);
        show("totals", totals);
    }
};

// Epochs between others that no device reported of: no sum has them.
struct epochs_without_reports {
    static constexpr const char *kind = "epochs_without_reports";
    std::uint64_t epochs = 0;
    std::uint32_t first = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("epochs", epochs);
        show("first", first);
    }
};

// A sum whose events fade on the device: there is no other to make of it.
struct decayed_on_device {
    static constexpr const char *kind = "decayed_on_device";
    template <typename Visit> void numbers(Visit) const {}
};

// A total that the devices keep: only differences of it are other sums.
struct total_on_device {
    static constexpr const char *kind = "total_on_device";
    template <typename Visit> void numbers(Visit) const {}
};

// Boxes that no sum of squares is.
struct cut_boxes {
    static constexpr const char *kind = "cut_boxes";
    std::uint64_t boxes = 0, rows = 0;
    template <typename Visit> void numbers(Visit show) const {
        show("boxes", boxes);
        show("rows", rows);
    }
};

using remark_content =
    std::variant<impossible_counts, impossible_sum, other_texts, longer_texts, no_candidates,
                 candidates_too_long, candidates_unknown, same_bits, candidates_undetermined,
                 candidates_screened_out, strings_missing, prefixes_detected,
                 candidates_with_blanks, candidates_with_commas, discovery_cost, differing_levels,
                 no_such_level, no_release_at_level, selected_unexplained, selected_level,
                 selected_biased, selected_weighted, selected_too_few, clipped_numbers,
                 too_few_reports, too_few_for_strings, stray_epochs_left_out, old_epochs_left_out,
                 old_epochs_not_shown, stray_epochs_not_pooled, no_reports_of_epoch, store_is_empty,
                 metric_held, other_definition, unknown_metrics, releases_contradicted,
                 releases_alone, not_converged, cells_undetermined, implausible_sums,
                 sums_without_bound, rows_of_fewer, totals_of_fewer, epochs_without_reports,
                 decayed_on_device, total_on_device, cut_boxes>;

// A remark on a metric, or on all that was asked for; in an epoch, or in all that were read.
struct remark {
    const metric *subject = nullptr;
    std::optional<std::uint32_t> epoch;
    remark_content content;
};

// Takes a remark on one metric and epoch.
using said_of = std::function<void(remark_content)>;

} // namespace sotto::aggregator
#endif
