// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/estimate_phrases.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/candidates.hpp"
#include "aggregator/promise/epsilon_accuracy.hpp"
#include "aggregator/promise/epsilon_spending.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// Two digits; a larger number in full, never 1.9e+02.
std::string two_digits(double value) {
    return value < 99.5 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

// An interval wider than this says little, and how many reports would say something is worth a
// word.
constexpr double wide_share = 0.10;
constexpr double good_share = 0.05;

double half_share(const estimate_row &r) { return r.result.half_width() / whole_of(r); }
double pointwise_half_share(const estimate_row &r) {
    return r.result.pointwise_half_width() / whole_of(r);
}

// As many decimals as the interval has a meaning for.
std::string share_text(const estimate_row &r, double count) {
    const double half = 100 * half_share(r);
    return with_decimals(100 * count / whole_of(r), half >= 0.1 ? 1 : half >= 0.01 ? 2 : 3) + " %";
}

// The share from which on a string is found with 90 % probability.
double found_from(double share_error, std::size_t candidates) {
    const double z = normal_upper_point(0.05 / static_cast<double>(candidates));
    return (z + normal_upper_point(0.1)) * share_error;
}

// The number as the metric counts it.
std::string with_unit(const metric &m, const std::string &number) {
    return m.words.unit.empty() ? number : number + " " + m.words.unit;
}

// Half of an interval, or how far an estimate moves.
std::string distance_text(const estimate_row &r, double distance) {
    return is_mean(r) ? with_unit(*r.subject, two_digits(distance))
                      : two_digits(100 * distance / whole_of(r)) + " %";
}

double enough_reports(std::uint64_t reports, double share) {
    return two_digits_up(static_cast<double>(reports) * std::pow(share / good_share, 2));
}

struct text_of_value {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool) const { return ""; }
    std::string operator()(std::uint32_t number) const { return std::to_string(number); }
    std::string operator()(const std::string &text) const { return string_text(text); }
    std::string operator()(const longer_strings &strings) const {
        return "(" + longer_than(strings.max_bytes) + ")";
    }
    std::string operator()(const number_bin &bin) const { return bin_text(bin); }
    std::string operator()(const quantile &at) const {
        return fmt::format("{:.0f} %", 100 * at.part);
    }
};

} // namespace

double whole_of(const estimate_row &r) {
    if (!is_mean(r)) {
        return static_cast<double>(r.result.reports);
    }
    return r.subject->range()->width();
}

bool has_consistent(row_group rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [](const estimate_row &r) { return !is_only_row(r) && !is_mean(r); });
}

bool has_detected(row_group rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [](const estimate_row &r) { return r.detected.has_value(); });
}

std::string epoch_text(const estimate_row &r) {
    return r.epoch ? epoch_text(r.subject->words.days, *r.epoch) : "all epochs";
}

std::string value_text(const row_value &value) { return std::visit(text_of_value{}, value); }

std::string bin_text(const number_bin &bin) {
    return bin.first == bin.last ? std::to_string(bin.first)
                                 : fmt::format("{}:{}", bin.first, bin.last);
}

std::string string_text(const std::string &text) {
    const std::string quoted = in_quotes(text);
    return has_blanks_around(text) ? quoted : quoted.substr(1, quoted.size() - 2);
}

std::string interval_text(const estimated &r, const std::string &half,
                          const std::function<std::string(double)> &number) {
    const auto everybody = static_cast<double>(r.reports);
    const bool holds_none = r.ci_low() <= 0 && r.ci_high() > 0;
    const bool holds_all = r.ci_high() >= everybody && r.ci_low() < everybody;
    return holds_none && holds_all ? number(0) + " to " + number(everybody)
           : holds_none            ? "≤ " + number(r.ci_high())
           : holds_all             ? "≥ " + number(r.ci_low())
                                   : half;
}

std::vector<std::string> share_cells(const estimate_row &r) {
    const auto percent = [&](double count) { return share_text(r, count); };
    // A detected value is there, however wide the interval of the largest is.
    const auto interval = [&](const std::string &half,
                              const std::function<std::string(double)> &number) {
        return r.detected == true ? half : interval_text(r.result, half, number);
    };
    return {percent(r.result.value), interval("± " + percent(r.result.half_width()), percent),
            rounded(r.result.value),
            interval("± " + rounded(std::ceil(r.result.half_width())), rounded)};
}

std::string pointwise_error_text(estimate_row r) {
    r.result.widening = 1;
    return is_mean(r) ? mean_cells(r)[3] : "± " + share_text(r, r.result.half_width());
}

// As many decimals as the interval has a meaning for.
std::vector<std::string> mean_cells(const estimate_row &r) {
    const double half = r.result.half_width();
    const int digits =
        half > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, 9) : 0;
    const bool is_quantile = std::holds_alternative<quantile>(r.value);
    return {is_quantile ? "quantile" : "mean", "", with_decimals(r.result.value, digits),
            with_unit(*r.subject, fmt::format("± {:.{}f}", half, digits))};
}

std::vector<std::string> sum_cells(const estimate_row &r) {
    const std::vector<std::string> mean = mean_cells(r);
    const estimated &total = r.summed->total;
    return {"mean " + mean[2], mean[3], "total " + rounded(total.value),
            with_unit(*r.subject, "± " + rounded(std::ceil(total.half_width())))};
}

// Rows of a distribution are not alike: its mean speaks for them.
const estimate_row &widest_of(row_group group) {
    if (is_distribution(group)) {
        return group.front();
    }
    return *std::max_element(group.begin(), group.end(), [](const auto &a, const auto &b) {
        return a.result.std_error < b.result.std_error;
    });
}

std::optional<remark_content> want_of_reports(row_group group) {
    if (group.front().summed) {
        return std::nullopt; // a sum has no range to be wide beside
    }
    const estimate_row &widest = widest_of(group);
    const std::uint64_t reports = widest.result.reports;
    if (widest.detected) {
        const double share = found_from(widest.result.std_error / whole_of(widest), group.size());
        return share > wide_share ? std::optional<remark_content>(too_few_for_strings{
                                        widest.epsilon, share, enough_reports(reports, share)})
                                  : std::nullopt;
    }
    const double share = pointwise_half_share(widest);
    return share > wide_share
               ? std::optional<remark_content>(too_few_reports{
                     widest.epsilon, enough_reports(reports, share), is_mean(widest)})
               : std::nullopt;
}

// Without candidates their later number is not known: it is taken to be one, the least.
std::optional<remark_content> want_of_reports(const unanswered &question) {
    const double share =
        found_from(expected_error(*question.subject, question.level, question.reports),
                   std::max<std::uint64_t>(1, question.candidates));
    return share > wide_share ? std::optional<remark_content>(too_few_for_strings{
                                    question.subject->realised(question.level).value, share,
                                    enough_reports(question.reports, share)})
                              : std::nullopt;
}

std::string if_relaxed(const estimate_row &r) {
    const double half = r.result.errors_wide * r.relaxed->std_error;
    const std::string together =
        r.relaxed->joint_epsilon > r.relaxed->epsilon
            ? fmt::format(" (together with all {} {})",
                          r.stages > 1 ? "that a text is reported to" : "levels below",
                          rounded_up(r.relaxed->joint_epsilon))
            : "";
    return fmt::format("{} to epsilon {}{}, these reports would say ± {}",
                       r.mixed ? "all relaxed" : "relaxed by a level,",
                       rounded_up(r.relaxed->epsilon), together, distance_text(r, half));
}

std::string if_pooled(const estimate_row &r) {
    if (!r.pooled || r.pooled->std_error > 0.9 * r.result.std_error) {
        return "";
    }
    const double half = r.pooled->pointwise_half_width();
    return fmt::format("weighted by their accuracy, its levels say ± {}, right if the level has "
                       "nothing to do with "
                       "the value (pooled, in csv and json)",
                       distance_text(r, half));
}

std::string joint_loss(const estimate_row &r) {
    return r.joint_epsilon > r.epsilon && r.stages == 1
               ? fmt::format("published at every level up to this one, a release loses epsilon {}",
                             rounded_up(r.joint_epsilon))
               : "";
}

std::string if_poisoned(row_group group) {
    const auto furthest = std::ranges::max_element(
        group, {}, [](const estimate_row &r) { return r.coalition ? r.coalition->shift : 0; });
    const auto &[reports, shift] = *furthest->coalition;
    return fmt::format("{} can have moved an estimate by up to {}; one device may send any number",
                       counted(reports, "dishonest report"), distance_text(*furthest, shift));
}

std::string loss_in_all_epochs(const estimate_row &r) {
    if (!r.all_epochs) {
        return "";
    }
    const auto &[epochs, epsilon] = *r.all_epochs;
    return fmt::format("{} for a device in all {} epochs",
                       std::isfinite(epsilon) ? "at most epsilon " + rounded_up(epsilon)
                                              : "possibly more than epsilon 2048",
                       epochs);
}

std::string consistent_share(const estimate_row &r) {
    return fmt::format("{:.1f} %", 100 * r.consistent / whole_of(r));
}

double loss_of_an_answer(const estimate_row &r) { return std::max(r.epsilon, r.joint_epsilon); }

double loss_of_stages(std::span<const stage_read> stages) {
    double sum = 0;
    for (const stage_read &stage : stages) {
        sum += joint_epsilon(*stage.subject, stage.level);
    }
    return sum;
}

double loss_of_stages(std::span<const stage_read> stages, std::uint32_t releases) {
    double sum = 0;
    for (const stage_read &stage : stages) {
        sum += has_lifetime(*stage.subject) ? loss_of_life(*stage.subject, stage.level, releases)
               : releases == any_number_of_releases
                   ? HUGE_VAL
                   : releases * joint_epsilon(*stage.subject, stage.level);
    }
    return sum;
}

discovery_cost cost_of_discovery(std::span<const stage_read> stages) {
    return {stages.front().subject->name, stages.size(), loss_of_stages(stages),
            loss_of_stages(stages, any_number_of_releases)};
}

bool is_ordered(row_group group) {
    return group.front().subject->words.is_ordered ||
           std::all_of(group.begin(), group.end(), [](const estimate_row &r) {
               const auto *name = std::get_if<std::string>(&r.value);
               return !r.detected && (name == nullptr || (!name->empty() && '0' <= name->front() &&
                                                          name->front() <= '9'));
           });
}

std::string if_picked(row_group rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [](const estimate_row &r) { return r.result.widening > 1; })
               ? picked_in_words
               : "";
}

bool is_only_row(const estimate_row &r) {
    return std::holds_alternative<std::monostate>(r.value) || std::holds_alternative<bool>(r.value);
}

bool is_distribution(row_group group) {
    return std::holds_alternative<number_bin>(group.back().value);
}

row_group without_bins(row_group group) {
    const auto first = std::ranges::find_if(
        group, [](const estimate_row &r) { return std::holds_alternative<number_bin>(r.value); });
    return {group.begin(), first};
}

std::vector<const estimate_row *> largest(row_group group) {
    std::vector<const estimate_row *> shown;
    for (const estimate_row &r : without_bins(group)) {
        shown.push_back(&r);
    }
    if (shown.size() > rows_shown || has_detected(group)) {
        std::stable_sort(shown.begin(), shown.end(), [](const auto *a, const auto *b) {
            return a->result.value > b->result.value;
        });
    }
    shown.resize(std::min(shown.size(), rows_shown));
    if (is_ordered(group)) {
        std::sort(shown.begin(), shown.end()); // as they come
    }
    return shown;
}

} // namespace sotto::aggregator
