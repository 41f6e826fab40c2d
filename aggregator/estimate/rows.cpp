// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/rows.hpp"

#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/distribution.hpp"
#include "aggregator/estimate/level_weights.hpp"
#include "aggregator/estimate/next_level.hpp"
#include "aggregator/estimate/places.hpp"
#include "aggregator/estimate/quality.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/statistics/consistent.hpp"
#include "aggregator/statistics/pooled_levels.hpp"
#include "aggregator/statistics/rising.hpp"
#include "aggregator/statistics/selective_intervals.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

class estimator {
  public:
    estimator(const metric &m, std::optional<std::uint32_t> epoch, const metric_tally &tally,
              const decode_options &options)
        : metric_(m), tally_(tally), options_(options), channels_(channels_of(m)),
          laws_(laws_of(m)), selected_(estimate_with_selection(m, tally, options.selected)) {
        row_.subject = &m;
        row_.epoch = epoch;
        for (std::uint32_t i = 0; i < tally.size(); ++i) {
            if (tally[i].reports > 0) {
                row_.highest = i;
                row_.mixed = row_.epsilon > 0;
                row_.epsilon = m.realised(i).value;
                row_.joint_epsilon = joint_epsilon(m, i);
            }
        }
        if (row_.mixed && !has_strings(m) && selected_.values.empty()) {
            weights_ = level_weights(m, tally, again());
        }
    }

    metric_estimate finish() {
        out_.by_first = selected_.by_first;
        if (!has_strings(metric_) && !is_distribution()) {
            widen_intervals();
        }
        for (estimate_row &row : out_.rows) {
            if (is_of_shape(row)) {
                continue;
            }
            if (options_.coalition > 0 && !has_strings(metric_)) {
                row.coalition = {options_.coalition,
                                 selected_.values.empty()
                                     ? coalition_shift(metric_, tally_, options_.coalition)
                                     : coalition_shift(selected_, options_.coalition)};
            }
            add_next_level(row);
        }
        return std::move(out_);
    }

    void add_rows() {
        switch (answers(metric_)) {
        case answer_shape::counts:
            return add_counts();
        case answer_shape::strings:
            return add_candidates(*how_.strings(metric_));
        case answer_shape::means:
            return add_means(*metric_.range());
        case answer_shape::distribution:
            add_means(*metric_.range());
            return add_shape(*metric_.range());
        case answer_shape::sums_over_places:
            return add_places();
        case answer_shape::sums_over_time: // series.hpp
            return;
        }
    }

  private:
    void add_means(const number_range &range) {
        const std::uint32_t length = metric_.type == SOTTO_TYPE_VECTOR ? metric_.value_size() : 1;
        for (std::uint32_t i = 0; i < length; ++i) {
            add(metric_.type == SOTTO_TYPE_VECTOR ? row_value(i) : row_value(),
                how_.estimate(metric_, tally_, laws_, i));
            pool_mean(i, range);
        }
        pool();
        keep_in_range(range);
    }

    bool is_distribution() const { return answers(metric_) == answer_shape::distribution; }

    // Not of the mean, which stands before the shape.
    static bool is_of_shape(const estimate_row &row) {
        return std::holds_alternative<quantile>(row.value) ||
               std::holds_alternative<number_bin>(row.value);
    }

    void add_shape(const number_range &range) {
        for (distribution_row &found : estimate_distribution(metric_, tally_)) {
            add(std::move(found.value), found.result);
            estimate_row &row = out_.rows.back();
            row.consistent = is_mean(row)
                                 ? std::clamp<double>(row.result.value, range.min, range.max)
                                 : row.result.value;
        }
    }

    void add_places() {
        for (place_count &found :
             estimate_places(metric_, tally_.front(), options_.ranges, options_.boxes)) {
            out_.cut_boxes += found.is_cut ? 1 : 0;
            add(std::move(found.value), found.mean);
            out_.rows.back().consistent = std::max(0.0, found.mean.value);
            out_.rows.back().summed = summed_epochs{found.total, 1};
        }
    }

    // A boolean needs one row: how often it is true.
    void add_counts() {
        const bool is_boolean = metric_.type == SOTTO_TYPE_BOOLEAN;
        for (std::uint32_t v = is_boolean ? 1 : 0; v < metric_.value_size(); ++v) {
            estimated found = selected_.values.empty() ? how_.estimate(metric_, tally_, laws_, v)
                                                       : selected_.values[v];
            found.std_error = std::hypot(found.std_error, repeated_error());
            add_count(is_boolean ? row_value(true) : name(v), found, v);
        }
        pool();
        make_consistent(metric_.type != SOTTO_TYPE_CATEGORY, // it has exactly one value
                        how_.published(metric_).max_members);
    }

    row_value name(std::uint32_t value) const {
        return value < metric_.names.size() ? row_value(metric_.names[value]) : row_value(value);
    }

    void add(row_value value, const estimated &result) {
        estimate_row row = row_;
        row.value = std::move(value);
        row.result = result;
        out_.rows.push_back(std::move(row));
    }

    // Values of one metric and epoch are compared, and the largest is read first.
    void widen_intervals() {
        std::vector<compared_estimate> compared;
        for (estimate_row &row : out_.rows) {
            compared.push_back({&row.result, least_});
        }
        allow_for_selection(std::move(compared), out_.rows.size());
    }

    void add_next_level(estimate_row &row) const {
        if (const auto next = next_level(tally_); next && options_.selected.empty()) {
            row.relaxed = {
                std_error_if_relaxed(metric_, tally_, *next, row.result, fitted_, of_a_value()),
                metric_.realised(*next).value, joint_epsilon(metric_, *next)};
        }
    }

    void add_count(row_value value, const estimated &result, std::uint32_t index) {
        add(std::move(value), result);
        if (weights_.empty()) {
            return;
        }
        std::vector<level_reading> levels;
        double share = 0;
        for (std::size_t i = 0; i < tally_.size(); ++i) {
            const auto n = static_cast<double>(tally_[i].reports);
            const double found =
                n > 0 ? how_.estimate(metric_, {&tally_[i], 1}, {&laws_[i], 1}, index).value / n
                      : 0;
            levels.push_back({n, found, 0});
            share += weights_[i] * found;
        }
        share = std::clamp(share, 0.0, 1.0);
        for (std::size_t i = 0; i < levels.size(); ++i) {
            level_reading &at = levels[i];
            const double n = at.reports;
            estimated shared;
            shared.value = share * n;
            shared.reports = tally_[i].reports;
            const double error = how_.error(metric_, laws_[i], shared);
            at.noise = n > 0 ? (error * error + repeated_variance(i)) / (n * n) : 0;
        }
        pooled_.push_back(pool_levels(levels, weights_, how_.spread(metric_, share, again())));
    }

    // For the number, or coordinate, that was added last.
    void pool_mean(std::uint32_t at, const number_range &range) {
        if (weights_.empty()) {
            return;
        }
        std::vector<level_reading> levels;
        double mean = 0;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            const estimated found = how_.estimate(metric_, {&tally_[i], 1}, {&laws_[i], 1}, at);
            levels.push_back({static_cast<double>(found.reports), found.value,
                              found.std_error * found.std_error});
            mean += weights_[i] * found.value;
        }
        const double kept = std::clamp<double>(mean, range.min, range.max);
        pooled_.push_back(pool_levels(levels, weights_, how_.spread(metric_, kept, again())));
    }

    // Levels that have the same to say are pooled as well.
    void pool() {
        std::vector<double> apart;
        for (const pooled_levels &pooled : pooled_) {
            apart.push_back(pooled.apart);
        }
        if (levels_differ(apart)) {
            out_.levels_differ = true;
            return;
        }
        for (std::size_t i = 0; i < pooled_.size(); ++i) {
            estimate_row &row = out_.rows[i];
            const double whole = is_mean(metric_) ? 1 : static_cast<double>(row.result.reports);
            row.pooled = row.result;
            row.pooled->value = whole * pooled_[i].value;
            row.pooled->std_error = whole * std::sqrt(pooled_[i].variance);
        }
    }

    // Permanent bits that are reported again add this to the noise of a count.
    double repeated_error() const {
        double variance = 0;
        for (std::size_t level = 0; level < tally_.size(); ++level) {
            variance += repeated_variance(level);
        }
        return std::sqrt(variance);
    }

    double repeated_variance(std::size_t level) const {
        return aggregator::repeated_variance(static_cast<double>(tally_[level].reports),
                                             of_a_value(),
                                             how_.permanent_flip(metric_, metric_.law(level)));
    }

    // Where nothing is permanent no noise is reported again.
    double of_a_value() const { return how_.remembered(metric_) ? of_a_device() : 1; }

    reports_again again() const { return {of_a_device(), of_a_value()}; }

    double of_a_device() const { return metric_.per_epoch * options_.of_a_value; }

    void make_consistent(bool may_be_less, std::uint32_t max_members = 1) {
        if (out_.rows.empty()) {
            return;
        }
        std::vector<double> counts;
        for (const estimate_row &row : out_.rows) {
            counts.push_back(row.result.value);
        }
        const auto n = static_cast<double>(out_.rows.front().result.reports);
        const std::vector<double> able = consistent_counts(counts, n, n * max_members, may_be_less);
        for (std::size_t i = 0; i < able.size(); ++i) {
            out_.rows[i].consistent = able[i];
        }
    }

    // Without a negative one among them already: the best fit of all strings, as long as they are
    // no more than the reports.
    void make_strings_consistent() {
        std::vector<double> counts;
        for (const estimate_row &row : out_.rows) {
            counts.push_back(row.consistent);
        }
        const double n = counts.empty() ? 0 : static_cast<double>(out_.rows[0].result.reports);
        const std::vector<double> able = consistent_counts(counts, n, n, true);
        for (std::size_t i = 0; i < able.size(); ++i) {
            out_.rows[i].consistent = able[i];
        }
    }

    void keep_in_range(const number_range &range) {
        least_ = range.min;
        std::vector<double> able;
        for (const estimate_row &row : out_.rows) {
            able.push_back(row.result.value);
        }
        if (range.rises) {
            able = rising(able);
        }
        for (std::size_t i = 0; i < able.size(); ++i) {
            out_.rows[i].consistent = std::clamp<double>(able[i], range.min, range.max);
        }
    }

    std::vector<double> permanent_flips() const {
        std::vector<double> flips;
        for (const level_law &law : laws_) {
            flips.push_back(how_.permanent_flip(metric_, law));
        }
        return flips;
    }

    // A category without a name is a number.
    row_value value_of(const std::string &candidate) const {
        const bool is_number = !has_texts(metric_) && metric_.names.empty();
        return is_number ? row_value(static_cast<std::uint32_t>(std::stoul(candidate)))
                         : row_value(candidate);
    }

    void add_candidates(const bloom_shape &shape) {
        if (options_.candidates.empty()) {
            return;
        }
        std::vector<std::string> candidates = options_.candidates;
        if (has_texts(metric_)) {
            candidates.push_back(any_longer_string(shape));
        }
        const auto is_longer = [&](std::size_t k) { return k == options_.candidates.size(); };
        const auto name = [&](std::size_t k) {
            return is_longer(k) ? longer_than(shape.max_bytes) : candidates[k];
        };
        std::vector<std::vector<cohort_count>> counts;
        for (const level_tally &at : tally_) {
            counts.emplace_back();
            for (std::size_t c = 0; c < shape.cohorts; ++c) {
                const auto begin = at.ones.begin() + static_cast<std::ptrdiff_t>(c * shape.bits);
                counts.back().push_back({at.cohorts[c], {begin, begin + shape.bits}});
            }
        }
        repeated_reports repeated = {of_a_device(), permanent_flips()};
        if (!how_.remembered(
                metric_)) { // a device stays in its cohort, but its bits are drawn anew
            repeated.permanent_flip.assign(repeated.permanent_flip.size(), 0);
        }
        candidate_fit fit = estimate_rappor(counts, channels_, shape_of(shape), bloom_of(metric_),
                                            candidates, {options_.detect_by, std::move(repeated)});
        allow_for_selection(fit);
        fitted_ = static_cast<std::size_t>(std::count_if(
            fit.candidates.begin(), fit.candidates.end(),
            [](const candidate_estimate &candidate) { return !candidate.screened_out; }));
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            const candidate_estimate &candidate = fit.candidates[k];
            if (candidate.screened_out) {
                out_.screened_out += is_longer(k) ? 0 : 1;
            } else if (candidate.result) {
                add(is_longer(k) ? row_value(longer_strings{shape.max_bytes})
                                 : value_of(candidates[k]),
                    *candidate.result);
                out_.rows.back().pooled = candidate.pooled;
                out_.rows.back().detected = candidate.detected;
                out_.rows.back().consistent = candidate.nonnegative;
                if (options_.coalition > 0) {
                    out_.rows.back().coalition = {options_.coalition,
                                                  candidate.reach *
                                                      static_cast<double>(options_.coalition)};
                }
            } else {
                out_.undetermined.push_back(name(k));
            }
        }
        make_strings_consistent();
        for (const std::vector<std::size_t> &those : fit.collisions) {
            out_.collisions.emplace_back();
            for (const std::size_t k : those) {
                out_.collisions.back().push_back(name(k));
            }
        }
        out_.levels_differ = fit.levels_differ;
        out_.strings_are_missing = fit.strings_are_missing();
        out_.is_misfit = fit.is_misfit();
        out_.misfit = fit.misfit;
        out_.freedom = fit.freedom;
    }

    const metric &metric_;
    const mechanism &how_ = mechanism_of(metric_);
    const metric_tally &tally_;
    const decode_options &options_;
    std::vector<bit_channel> channels_; // by level, of strings
    std::vector<level_law> laws_;
    selective_estimate selected_;       // by value, where any were selected
    estimate_row row_;                  // values common to all rows
    std::vector<double> weights_;       // one a level, where levels can be pooled; not for strings
    std::vector<pooled_levels> pooled_; // by row
    std::size_t fitted_ = 0;            // candidates
    double least_ = 0;                  // a row's true value is not below this
    metric_estimate out_;
};

} // namespace

bool is_mean(const metric &m) { return m.range().has_value(); }

bool is_mean(const estimate_row &row) {
    return is_mean(*row.subject) && !std::holds_alternative<number_bin>(row.value);
}

double joint_epsilon(const metric &m, std::size_t level) {
    const double alone = m.realised(level).value;
    if (level == 0) {
        return alone;
    }
    if (level + 1 == m.levels.size()) {
        return m.joint.value;
    }
    if (level >= m.levels.size()) {
        return m.forward[level - m.levels.size()].joint.value;
    }
    constexpr double unit = 0x1p-20; // costs are rounded up to it
    const double together = std::min(m.cost(level, 1) * unit, m.joint.value);
    return together > alone + unit ? together : alone;
}

metric_estimate estimate_metric(const metric &m, std::optional<std::uint32_t> epoch,
                                const metric_tally &tally, const decode_options &options) {
    estimator e(m, epoch, tally, options);
    e.add_rows();
    return e.finish();
}

} // namespace sotto::aggregator
