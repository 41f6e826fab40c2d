// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TEXT_ESTIMATE_PHRASES_HPP
#define SOTTO_AGGREGATOR_TEXT_ESTIMATE_PHRASES_HPP

#include "aggregator/estimate/estimate.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sotto::aggregator {

// Phrases about estimates for people, on a terminal or on a page.

// Rows that are shown together.
using row_group = std::span<const estimate_row>;

// The whole that an estimate is a share of: the reports, or for a mean its range.
double whole_of(const estimate_row &r);

// Known values are shown as something that can be, too.
bool has_consistent(row_group rows);
bool has_detected(row_group rows);

// One line, whatever is in a string, in quotes where it has blanks around it; "" where a row is not
// about a value.
std::string value_text(const row_value &value);
std::string string_text(const std::string &text);
// "20:24", both included.
std::string bin_text(const number_bin &bin);

// "2024-10-04", "epoch 3", "all epochs".
std::string epoch_text(const estimate_row &r);

// The legend of tables and charts.
inline constexpr const char *interval_in_words =
    "± (≤, ≥) is a 95 % interval for the noise that protects each report";
// An interval of counts is `half`, unless nobody or everybody is in it. Then its ends are written
// by `number`: "≤ 1.8 %", "≥ 98.1 %", "0.0 % to 100.0 %".
std::string interval_text(const estimated &r, const std::string &half,
                          const std::function<std::string(double)> &number);

// "31.4 %", "± 0.9 %", "62,835", "± 1,801"; of a mean "mean", "", "42.3", "± 0.12 minutes". Shares
// near none or all have "≤ 1.8 %" in place of "± 0.9 %", but where the value was detected.
std::vector<std::string> share_cells(const estimate_row &r);
std::vector<std::string> mean_cells(const estimate_row &r);
// A counter's: "mean 3.41", "± 0.12", "total 3,410", "± 120".
std::vector<std::string> sum_cells(const estimate_row &r);
// Half of the interval of a value by itself: "± 0.9 %", "± 0.12".
std::string pointwise_error_text(estimate_row r);
std::string consistent_share(const estimate_row &r);

// The limit of the rows of one metric and epoch for want of reports, and how many would do; nothing
// where they suffice.
std::optional<remark_content> want_of_reports(row_group group);
std::optional<remark_content> want_of_reports(const unanswered &question);
const estimate_row &widest_of(row_group group);
// The accuracy of these reports at the next level; the row must have it.
std::string if_relaxed(const estimate_row &r);
// The accuracy of weighting several levels; "" where that is hardly more.
std::string if_pooled(const estimate_row &r);
// The loss of releases that were published level by level up to here; "" where it is no more than
// the last level's alone.
std::string joint_loss(const estimate_row &r);
// How far the coalition that was asked for can have moved an estimate.
std::string if_poisoned(row_group group);
// "at most epsilon 2.5 for a device in all 5 epochs", of several epochs in one; else "".
std::string loss_in_all_epochs(const estimate_row &r);

// The most that a device loses by a row's value in one epoch.
double loss_of_an_answer(const estimate_row &r);
// The loss of a device that reported a text to each of these metrics, once, and in so many releases
// each. It is infinite where any number of them adds up to no bound, and where the registry's
// tables don't hold it.
double loss_of_stages(std::span<const stage_read> stages);
double loss_of_stages(std::span<const stage_read> stages, std::uint32_t releases);
discovery_cost cost_of_discovery(std::span<const stage_read> stages);

// Numbers, a scale, and names that all begin with a digit, as hours do: their order says something.
bool is_ordered(row_group group);

// A remark where intervals are wider for it (selective_intervals.hpp); else "".
inline constexpr const char *picked_in_words =
    "the largest estimates are too high on average, as noise helped them to be the largest; their "
    "intervals are wider to allow for that";
std::string if_picked(row_group rows);

// A distribution: its mean, quantiles, then bins.
bool is_distribution(row_group group);
// Its mean and quantiles alone.
row_group without_bins(row_group group);
// A mean or a boolean: an epoch has no other row of the metric.
bool is_only_row(const estimate_row &r);

// The largest rows where there are very many, and how many those are. Strings and names are then in
// order of size; ordered rows stay in their order.
inline constexpr std::size_t rows_shown = 40;
std::vector<const estimate_row *> largest(row_group group);

// Calls for the rows of one metric and epoch after the other.
template <typename Visit> void for_each_group(row_group rows, Visit visit) {
    for (auto first = rows.begin(); first != rows.end();) {
        const auto last = std::find_if(first, rows.end(), [&](const estimate_row &r) {
            return r.subject != first->subject || r.epoch != first->epoch;
        });
        visit(row_group(first, last));
        first = last;
    }
}

} // namespace sotto::aggregator
#endif
