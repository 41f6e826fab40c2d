// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/rows.hpp"

#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/consistent.hpp"
#include "aggregator/estimate/k_randomized_response.hpp"
#include "aggregator/estimate/metric_channel.hpp"
#include "aggregator/estimate/next_level.hpp"
#include "aggregator/estimate/one_bit_mean.hpp"
#include "aggregator/estimate/pooled_levels.hpp"
#include "aggregator/estimate/quality.hpp"
#include "aggregator/estimate/randomized_response.hpp"
#include "aggregator/estimate/selective_intervals.hpp"
#include "aggregator/estimate/unary.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sotto::aggregator {
namespace {

class estimator {
  public:
    estimator(const metric &m, std::optional<std::uint32_t> epoch, const metric_tally &tally,
              const decode_options &options)
        : metric_(m), tally_(tally), options_(options), channels_(metric_channels(m)),
          selected_(estimate_with_selection(m, tally, options.selected)) {
        row_.of = &m;
        row_.epoch = epoch;
        for (std::uint32_t i = 0; i < tally.size(); ++i) {
            if (tally[i].reports > 0) {
                row_.highest = i;
                row_.mixed = row_.epsilon > 0;
                row_.epsilon = m.realised(i).value;
                row_.joint_epsilon = joint_epsilon(m, i);
            }
        }
        if (row_.mixed && m.type != SOTTO_TYPE_STRING && selected_.values.empty()) {
            weights_ = level_weights(m, tally, {of_a_device(), of_a_value()});
        }
    }

    metric_estimate finish() {
        out_.by_first = selected_.by_first;
        if (metric_.type != SOTTO_TYPE_STRING) {
            widen_intervals();
        }
        for (estimate_row &row : out_.rows) {
            if (options_.coalition > 0 && metric_.type != SOTTO_TYPE_STRING) {
                row.coalition_shift = selected_.values.empty()
                                          ? coalition_shift(metric_, tally_, options_.coalition)
                                          : coalition_shift(selected_, options_.coalition);
            }
            add_next_level(row);
        }
        return std::move(out_);
    }

    void operator()(const randomized_response_table &) { add_boolean(); }
    void operator()(const laplace_threshold_table &) {
        add_count(true, estimate_bit_channel(counts_of(1), channels_), counts_of(1));
        pool();
        make_consistent(true);
    }

    void operator()(const k_randomized_response_table &table) {
        for (std::uint32_t v = 0; v < table.size; ++v) {
            const estimated found = selected_.values.empty()
                                        ? estimate_k_randomized_response(
                                              counts_of(v), laws(&level_law::keep), table.size)
                                        : selected_.values[v];
            add_count(name(v), found, counts_of(v));
        }
        pool();
        make_consistent(false);
    }

    void operator()(const unary_table &table) { add_members(table.size, table.max_members); }

    void operator()(const rappor_table &table) {
        if (metric_.type == SOTTO_TYPE_STRING) {
            add_strings(table);
        } else {
            add_members(table.bits, 1);
        }
    }

    void operator()(const discrete_laplace_table &table) {
        for (std::uint32_t i = 0; i < table.length; ++i) {
            std::vector<number_count> counts;
            for (const level_tally &at : tally_) {
                counts.push_back(at.numbers[i]);
            }
            const std::vector<double> epsilons = laws(&level_law::unit_epsilon);
            add(metric_.type == SOTTO_TYPE_VECTOR ? row_value(i) : row_value(),
                estimate_discrete_laplace(counts, epsilons));
            pool_mean(
                [&](std::size_t level) {
                    return estimate_discrete_laplace({&counts[level], 1}, {&epsilons[level], 1});
                },
                [&](double mean) {
                    return of_a_device() * (table.max - mean) * (mean - table.min);
                },
                table.min, table.max);
        }
        pool();
        keep_in_range(table.min, table.max);
    }

    void operator()(const one_bit_mean_table &table) {
        const std::vector<level_count> counts = counts_of(1);
        const std::vector<double> flips = laws(&level_law::flip);
        const one_bit_range range = {table.min, table.scale};
        add({}, estimate_one_bit_mean(counts, flips, range));
        // Their errors hold who is at which level, did nobody report twice: bits are drawn anew.
        pool_mean(
            [&](std::size_t level) {
                return estimate_one_bit_mean({&counts[level], 1}, {&flips[level], 1}, range);
            },
            [&](double mean) {
                return (of_a_device() - 1) * (table.max - mean) * (mean - table.min);
            },
            table.min, table.max);
        pool();
        keep_in_range(table.min, table.max);
    }

  private:
    std::vector<double> laws(double level_law::*what) const {
        std::vector<double> values;
        for (std::size_t i = 0; i < tally_.size(); ++i) {
            values.push_back(metric_.law(i).*what);
        }
        return values;
    }

    // Counts of an index, by level.
    std::vector<level_count> counts_of(std::size_t index) const {
        std::vector<level_count> counts;
        for (const level_tally &at : tally_) {
            counts.push_back({at.reports, at.ones[index]});
        }
        return counts;
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
        std::vector<compared_estimate> all;
        for (estimate_row &row : out_.rows) {
            all.push_back({&row.result, least_});
        }
        allow_for_selection(std::move(all), out_.rows.size());
    }

    void add_next_level(estimate_row &row) const {
        if (const auto next = next_level(tally_); next && options_.selected.empty()) {
            row.next_std_error =
                std_error_if_relaxed(metric_, tally_, *next, row.result, fitted_, of_a_value());
            row.next_epsilon = metric_.realised(*next).value;
            row.next_joint_epsilon = joint_epsilon(metric_, *next);
        }
    }

    void add_count(row_value value, const estimated &result,
                   const std::vector<level_count> &counts) {
        add(std::move(value), result);
        if (weights_.empty()) {
            return;
        }
        std::vector<level_reading> levels;
        double share = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const auto n = static_cast<double>(counts[i].reports);
            const double found =
                n > 0 ? estimate_bit_channel({&counts[i], 1}, {&channels_[i], 1}).value / n : 0;
            levels.push_back({n, found, 0});
            share += weights_[i] * found;
        }
        share = std::clamp(share, 0.0, 1.0);
        for (std::size_t i = 0; i < levels.size(); ++i) {
            level_reading &at = levels[i];
            const double n = at.reports;
            at.noise =
                n > 0 ? (bit_channel_variance(n, share * n, channels_[i]) + repeated_variance(i)) /
                            (n * n)
                      : 0;
        }
        pooled_.push_back(pool_levels(levels, weights_, of_a_device() * share * (1 - share)));
    }

    // For the number that was added last. `read` reads it at a level; `spread` is the most that the
    // values (pool_levels) spread, were their mean that.
    void pool_mean(const auto &read, const auto &spread, double min, double max) {
        if (weights_.empty()) {
            return;
        }
        std::vector<level_reading> levels;
        double mean = 0;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            const estimated found = read(i);
            levels.push_back({static_cast<double>(found.reports), found.value,
                              found.std_error * found.std_error});
            mean += weights_[i] * found.value;
        }
        pooled_.push_back(pool_levels(levels, weights_, spread(std::clamp(mean, min, max))));
    }

    // Levels that have the same to say are pooled as well.
    void pool() {
        std::vector<double> apart;
        for (const pooled_levels &one : pooled_) {
            apart.push_back(one.apart);
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

    void add_boolean() {
        const estimated found =
            selected_.values.empty()
                ? estimate_randomized_response(counts_of(1), laws(&level_law::flip))
                : selected_.values[1];
        add_count(true, found, counts_of(1));
        pool();
        make_consistent(true);
    }

    // Members of a value: a set may have less, a category has exactly its one.
    void add_members(std::uint32_t size, std::uint32_t max_members) {
        std::vector<unary_count> counts;
        for (const level_tally &at : tally_) {
            counts.push_back({at.reports, at.ones});
        }
        std::vector<estimated> found = estimate_unary(counts, channels_, size);
        for (std::uint32_t v = 0; v < size; ++v) {
            found[v].std_error = std::hypot(found[v].std_error, repeated_error());
            add_count(name(v), found[v], counts_of(v));
        }
        pool();
        make_consistent(metric_.type == SOTTO_TYPE_SET, max_members);
    }

    // The noise that RAPPOR's permanent bits, where they are reported again, add to a count.
    double repeated_error() const {
        double variance = 0;
        for (std::size_t level = 0; level < tally_.size(); ++level) {
            variance += repeated_variance(level);
        }
        return std::sqrt(variance);
    }

    double repeated_variance(std::size_t level) const {
        return aggregator::repeated_variance(static_cast<double>(tally_[level].reports),
                                             of_a_value(), metric_.law(level).permanent_flip);
    }

    // Where nothing is permanent no noise is reported again.
    double of_a_value() const {
        const auto *table = std::get_if<rappor_table>(&metric_.table);
        return table != nullptr && !table->protects_sequence ? of_a_device() : 1;
    }

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

    void keep_in_range(double min, double max) {
        least_ = min;
        for (estimate_row &row : out_.rows) {
            row.consistent = std::clamp(row.result.value, min, max);
        }
    }

    void add_strings(const rappor_table &table) {
        if (options_.candidates.empty()) {
            return;
        }
        std::vector<std::string> candidates = options_.candidates;
        candidates.push_back(any_longer_string(table));
        const auto is_longer = [&](std::size_t k) { return k == options_.candidates.size(); };
        const auto name = [&](std::size_t k) {
            return is_longer(k) ? longer_than(table.max_bytes) : candidates[k];
        };
        std::vector<std::vector<cohort_count>> counts;
        for (const level_tally &at : tally_) {
            counts.emplace_back();
            for (std::size_t c = 0; c < table.cohorts; ++c) {
                const auto begin = at.ones.begin() + static_cast<std::ptrdiff_t>(c * table.bits);
                counts.back().push_back({at.cohorts[c], {begin, begin + table.bits}});
            }
        }
        repeated_reports repeated = {of_a_device(), laws(&level_law::permanent_flip)};
        if (table.protects_sequence) { // a device stays in its cohort, but its bits are drawn anew
            repeated.permanent_flip.assign(repeated.permanent_flip.size(), 0);
        }
        candidate_fit fit =
            estimate_rappor(counts, channels_, {table.bits, table.hashes, table.cohorts},
                            bloom_of(table), candidates, {options_.detect_by, std::move(repeated)});
        allow_for_selection(fit);
        fitted_ = static_cast<std::size_t>(
            std::count_if(fit.candidates.begin(), fit.candidates.end(),
                          [](const candidate_estimate &one) { return !one.screened_out; }));
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            const candidate_estimate &one = fit.candidates[k];
            if (one.screened_out) {
                out_.screened_out += is_longer(k) ? 0 : 1;
            } else if (one.result) {
                add(is_longer(k) ? row_value(longer_strings{table.max_bytes})
                                 : row_value(candidates[k]),
                    *one.result);
                out_.rows.back().pooled = one.pooled;
                out_.rows.back().detected = one.detected;
                out_.rows.back().consistent = one.nonnegative;
                if (options_.coalition > 0) {
                    out_.rows.back().coalition_shift =
                        one.reach * static_cast<double>(options_.coalition);
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
    const metric_tally &tally_;
    const decode_options &options_;
    std::vector<bit_channel> channels_; // by level, of what is counted
    selective_estimate selected_;       // by value, where any were selected
    estimate_row row_;                  // what all rows have in common
    std::vector<double> weights_;       // of levels, where they can be pooled; not for strings
    std::vector<pooled_levels> pooled_; // by row
    std::size_t fitted_ = 0;            // candidates
    double least_ = 0;                  // that the truth of a row can be
    metric_estimate out_;
};

} // namespace

bool is_mean(const metric &m) {
    return m.type == SOTTO_TYPE_INTEGER || m.type == SOTTO_TYPE_VECTOR || m.type == SOTTO_TYPE_MEAN;
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
    std::visit(std::ref(e), m.table);
    return e.finish();
}

} // namespace sotto::aggregator
