// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/remark_words.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/discover.hpp"
#include "aggregator/estimate/stray_epochs.hpp"
#include "aggregator/text/remark_list.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string some_of(const named_strings &strings) {
    std::string out;
    for (const std::string &string : strings.first) {
        out += (out.empty() ? "" : ", ") + in_quotes(string);
    }
    return out + (strings.count > strings.first.size() ? ", ..." : "");
}

std::string chi_square_text(double chi_square, double freedom) {
    return fmt::format("chi-square {} on {} degrees of freedom, which noise alone reaches less "
                       "than once in a million",
                       grouped(static_cast<std::uint64_t>(chi_square)),
                       grouped(static_cast<std::uint64_t>(freedom)));
}

std::string selected_text(std::uint64_t releases) {
    return counted(releases, "release") + " relaxed because of what they had said";
}

std::string too_few(double epsilon) {
    return fmt::format("too few reports for epsilon {} to say much; ", rounded_up(epsilon));
}

std::string left_out(const epochs_left_out &r, const std::string &why) {
    return fmt::format("left out: {} in {} ({}), {}; --epoch E estimates one",
                       counted(r.reports, "report"), counted(r.epochs.size(), "epoch"),
                       in_runs("epoch", r.epochs), why);
}

std::string version_text(const source_registry &from) {
    return fmt::format("{} version {}", from.name, from.version);
}

// An overload a kind.
struct wording {
    std::string operator()(const impossible_counts &r) const {
        return fmt::format("{} of {} counts are beyond what honest devices send",
                           grouped(r.impossible), grouped(r.counts));
    }
    std::string operator()(const impossible_sum &r) const {
        return fmt::format("the categories don't add up to the reports, by {:.1f} standard errors: "
                           "not what honest devices send",
                           r.standard_errors);
    }
    std::string operator()(const other_texts &r) const {
        return fmt::format("the texts found don't explain the bits: other texts are frequent "
                           "together, or have characters that the alphabet lacks, or devices "
                           "report not as the registry says ({})",
                           chi_square_text(r.chi_square, r.freedom));
    }
    std::string operator()(const longer_texts &r) const {
        return fmt::format("{} to {} of {} are of texts longer than {}: nothing is found of them; "
                           "the firmware has to give this metric that many bytes of a text and no "
                           "more",
                           grouped(r.low), grouped(r.high), counted(r.reports, "report"),
                           counted(r.max_bytes, "byte"));
    }
    std::string operator()(const no_candidates &r) const {
        return fmt::format("reports of {}; --candidates FILE says which to count",
                           r.categories == 0 ? "strings"
                                             : "one of " + grouped(r.categories) + " categories");
    }
    std::string operator()(const candidates_unknown &r) const {
        return fmt::format("left out: {} that are none of the {} categories",
                           counted(r.candidates, "candidate"), grouped(r.categories));
    }
    std::string operator()(const candidates_too_long &r) const {
        return fmt::format("left out: {} longer than max_bytes ({})",
                           counted(r.candidates, "candidate"), r.max_bytes);
    }
    std::string operator()(const same_bits &r) const {
        return "the same bits in every cohort that reported: " + some_of(r.strings);
    }
    std::string operator()(const candidates_undetermined &r) const {
        return fmt::format("{} left out, as the bits reported so far don't tell them from others: "
                           "{}",
                           counted(r.candidates.count, "candidate"), some_of(r.candidates));
    }
    std::string operator()(const candidates_screened_out &r) const {
        return fmt::format("too many candidates to tell all from each other; {} not detected and "
                           "left out, and the intervals of the others are wider to allow for that",
                           counted(r.candidates, "candidate"));
    }
    std::string operator()(const strings_missing &r) const {
        return fmt::format("the candidates don't explain the bits: frequent strings are missing "
                           "from them, or devices report the same bits again, or not as the "
                           "registry says; the intervals are wider for it ({})",
                           chi_square_text(r.chi_square, r.freedom));
    }
    std::string operator()(const prefixes_detected &r) const {
        return "prefixes detected: " + grouped(r.extended + r.left_out) +
               (r.left_out > 0
                    ? fmt::format(", the {} most frequent of them extended; {} left out, as more "
                                  "than {} candidates would come of all",
                                  grouped(r.extended), grouped(r.left_out),
                                  grouped(discover_candidates_max))
                    : "");
    }
    std::string operator()(const candidates_with_blanks &r) const {
        return fmt::format("{}: line {}: {} has white space at an end{}: only devices that send it "
                           "so are counted",
                           r.path, r.line, in_quotes(r.text),
                           r.more > 0 ? ", as have " + counted(r.more, "other line") : "");
    }
    std::string operator()(const candidates_with_commas &r) const {
        return fmt::format("{}: {} of {} have a comma: a line is one candidate as a whole, with "
                           "its commas and quotes, not a row of a CSV file",
                           r.path, grouped(r.with), counted(r.lines, "line"));
    }
    std::string operator()(const discovery_cost &r) const {
        return fmt::format("a device that reports a text to {} loses at most epsilon {} once{}",
                           r.metrics == 1 ? r.metric : fmt::format("all {} of these", r.metrics),
                           rounded_up(r.epsilon),
                           std::isfinite(r.epsilon_forever)
                               ? fmt::format(", {} however often it reports that text",
                                             rounded_up(r.epsilon_forever))
                               : "");
    }
    std::string operator()(const differing_levels &) const {
        return "its levels tell of different values: which level a release is at has to do with "
               "what it says; --level L has each alone";
    }
    std::string operator()(const no_such_level &r) const {
        return fmt::format("has no level {}; its highest is {}", r.level, r.highest);
    }
    std::string operator()(const no_release_at_level &r) const {
        return fmt::format("no release was published at level {}", r.level);
    }
    std::string operator()(const selected_unexplained &r) const {
        return selected_text(r.releases) + ", which never came: not counted";
    }
    std::string operator()(const selected_level &r) const {
        return selected_text(r.releases) +
               fmt::format(": level {} alone is no sample of all; leave out --level", r.level);
    }
    std::string operator()(const selected_biased &r) const {
        return selected_text(r.releases) +
               fmt::format(": no estimator for {} allows for that. The estimate is biased; that of "
                           "--level 0 is not",
                           r.mechanism);
    }
    std::string operator()(const selected_weighted &r) const {
        return selected_text(r.releases) +
               fmt::format(
                   ": all that they said is weighted together (three-outcome estimator). If "
                   "devices are honest, at most about a tenth of a standard error of bias is "
                   "left. A dishonest device moves the estimate as far as {} devices that send a "
                   "false first report only",
                   r.weight);
    }
    std::string operator()(const selected_too_few &r) const {
        return selected_text(r.releases) + ": too few to weigh their second answers, as a forged "
                                           "one would weigh too much. Their "
                                           "first answers count, and the interval is wider";
    }
    std::string operator()(const clipped_numbers &r) const {
        return fmt::format("a device clips numbers whose distances from {} sum to more than {}; "
                           "these are means of clipped numbers, and no report shows how far off "
                           "that is",
                           r.middle, r.l1_half);
    }
    std::string operator()(const implausible_sums &r) const {
        return fmt::format("{} of {} left out: too far from 0 for a device that counts {} in an "
                           "epoch at most, by powers of two",
                           grouped(r.dropped), counted(r.sums, "sum"), grouped(r.plausible_max));
    }
    std::string operator()(const sums_without_bound &) const {
        return "no plausible_max in metrics.toml: one forged report can move a total by 2^31";
    }
    std::string operator()(const rows_of_fewer &r) const {
        return fmt::format("{} of {} over several epochs lack devices that restarted or came "
                           "late. These devices are taken to count as the others do",
                           grouped(r.rows), counted(r.longer_rows, "row"));
    }
    std::string operator()(const totals_of_fewer &r) const {
        return fmt::format("{} of {} lack devices that reported earlier in their block: what these "
                           "counted is in the totals before and not in these",
                           grouped(r.fewer), counted(r.totals, "running total"));
    }
    std::string operator()(const epochs_without_reports &r) const {
        return fmt::format("{} without reports between others, the first of them {}: no sum has "
                           "their events",
                           counted(r.epochs, "epoch"), r.first);
    }
    std::string operator()(const decayed_on_device &) const {
        return "its sums are decayed on the device: there is no window, prefix or other decay";
    }
    std::string operator()(const total_on_device &) const {
        return "its totals are made on the device: there is no decay or smoothed sum";
    }
    std::string operator()(const too_few_reports &r) const {
        return too_few(r.epsilon) + "± 5 %" + (r.is_mean ? " of its range" : "") + " takes about " +
               rounded(r.needed);
    }
    std::string operator()(const too_few_for_strings &r) const {
        const std::string enough = rounded(r.needed);
        return too_few(r.epsilon) +
               (r.found_from > 1
                    ? "no string can be found, from 5 % on with about " + enough
                    : fmt::format("a string is found from {:.0f} % on, from 5 % on with about {}",
                                  std::ceil(100 * r.found_from), enough));
    }
    std::string operator()(const stray_epochs_left_out &r) const {
        return left_out(r, fmt::format("{} and near none that has more", stray_in_words));
    }
    std::string operator()(const old_epochs_left_out &r) const {
        return left_out(r, "older than these");
    }
    std::string operator()(const old_epochs_not_shown &r) const {
        return fmt::format("not shown: {}, older than these; their events are in the sums, and "
                           "--epoch E shows one",
                           in_runs("epoch", r.epochs));
    }
    std::string operator()(const stray_epochs_not_pooled &r) const {
        return fmt::format("left out of all epochs: {} in {}, {}", counted(r.reports, "report"),
                           in_runs("epoch", r.epochs), stray_in_words);
    }
    std::string operator()(const no_reports_of_epoch &r) const {
        return fmt::format("no reports of epoch {}; {}", r.epoch,
                           (r.of_these_metrics ? "there are reports of "
                                               : "only other metrics have reports, of ") +
                               in_runs("epoch", r.others));
    }
    std::string operator()(const store_is_empty &) const { return "the store has no reports"; }
    std::string operator()(const metric_held &r) const {
        const std::string where = r.from ? fmt::format("registry {}, {}", version_text(*r.from),
                                                       fingerprint_text(r.from->fingerprint))
                                         : "this registry";
        return fmt::format("the store holds {} of {} ({}), {}, {}", counted(r.releases, "release"),
                           r.metric, where, in_runs("epoch", r.epochs), in_runs("level", r.levels));
    }
    std::string operator()(const other_definition &r) const {
        return fmt::format("the store has {} of another definition ({}), not counted here",
                           counted(r.reports, "report"), version_text(r.from));
    }
    std::string operator()(const unknown_metrics &r) const {
        std::vector<std::string> names;
        for (const unknown_metric &m : r.metrics) {
            names.push_back(fmt::format("{} ({}, {})", m.name, counted(m.reports, "report"),
                                        version_text(m.from)));
        }
        return "the store also has metrics that this registry does not: " + joined(names);
    }
    std::string operator()(const releases_contradicted &r) const {
        return counted(r.releases, "release") +
               " came with several values for one level: the least value counts";
    }
    std::string operator()(const releases_alone &r) const {
        return counted(r.releases, "release") +
               " left out: the other one was not in the same envelope, or there were several of it";
    }
    std::string operator()(const not_converged &r) const {
        return fmt::format("no convergence after {} rounds: the log-likelihood can be {:.2g} below "
                           "its maximum",
                           grouped(r.rounds), r.gap);
    }
    std::string operator()(const cut_boxes &r) const {
        return fmt::format("{} of {} cut by squares: points are taken as evenly "
                           "spread in them, and intervals are of the noise alone",
                           r.boxes, counted(r.rows, "row") + (r.boxes == 1 ? " is" : " are"));
    }
    std::string operator()(const cells_undetermined &r) const {
        return counted(r.cells, "cell") + " left out, as the reports don't tell them from others";
    }
};

bool is_doubt(const remark_content &content) {
    return std::holds_alternative<impossible_counts>(content) ||
           std::holds_alternative<impossible_sum>(content) ||
           std::holds_alternative<other_texts>(content) ||
           std::holds_alternative<longer_texts>(content);
}

} // namespace

std::string words_of(const remark_content &content) { return std::visit(wording{}, content); }

std::string line_of(const remark &r) {
    return (r.subject != nullptr ? r.subject->shown_name() + ": " : "") + words_of(r.content);
}

std::vector<std::string> remark_lines(const estimates &found) {
    remark_list said;
    for (const auto &[m, epochs] : found.epochs_read) {
        for (const std::uint32_t epoch : epochs) {
            said.read(*m, epoch);
        }
    }
    std::vector<std::string> before, after;
    bool is_after = false;
    for (const remark &r : found.remarks) {
        if (r.subject == nullptr) {
            (is_after ? after : before).push_back(words_of(r.content));
        } else {
            is_after = true;
            said.add(*r.subject, r.epoch, words_of(r.content),
                     is_doubt(r.content) ? remark_list::kind::doubt : remark_list::kind::plain);
        }
    }
    const std::vector<std::string> lines = said.lines();
    before.insert(before.end(), lines.begin(), lines.end());
    before.insert(before.end(), after.begin(), after.end());
    return before;
}

std::string words_of(plan_remark why) {
    switch (why) {
    case plan_remark::mean_only:
        return "one bit a report: good for the mean and nothing else";
    case plan_remark::for_comparison:
        return "for comparison with the paper: levels of a ladder lose more than the highest";
    case plan_remark::recognises_devices:
        return "every report of a value is the same: a device is recognised by it";
    case plan_remark::protects_values_only:
        return "protects a value that stays, not each report";
    case plan_remark::total_only:
        return "publishes its running total; windows are differences of it, and no other sum can "
               "be made";
    case plan_remark::decayed_at_host:
        return "dominated: sotto estimate --decay makes this sum of another strategy's rows, with "
               "less error";
    }
    return "";
}

const char *kind_of(plan_remark why) {
    switch (why) {
    case plan_remark::mean_only:
        return "mean_only";
    case plan_remark::for_comparison:
        return "for_comparison";
    case plan_remark::recognises_devices:
        return "recognises_devices";
    case plan_remark::protects_values_only:
        return "protects_values_only";
    case plan_remark::total_only:
        return "total_only";
    case plan_remark::decayed_at_host:
        return "decayed_at_host";
    }
    return "";
}

std::string words_of(const unanswered &question) {
    const std::string candidates = counted(question.candidates, "candidate");
    switch (question.why) {
    case no_row::candidates_too_long:
        return "all candidates are longer than a device reports";
    case no_row::candidates_unknown:
        return "no candidate is a category of the registry";
    case no_row::no_candidates:
        return "no candidates were given";
    case no_row::none_detected:
        return "none of " + candidates + " was detected";
    case no_row::none_told_apart:
        return "the bits reported so far don't tell " + candidates + " from each other";
    case no_row::none_discovered:
        return "no text was discovered";
    }
    return "";
}

const char *kind_of(no_row why) {
    switch (why) {
    case no_row::candidates_too_long:
        return "candidates_too_long";
    case no_row::candidates_unknown:
        return "candidates_unknown";
    case no_row::no_candidates:
        return "no_candidates";
    case no_row::none_detected:
        return "none_detected";
    case no_row::none_told_apart:
        return "none_told_apart";
    case no_row::none_discovered:
        return "none_discovered";
    }
    return "";
}

} // namespace sotto::aggregator
