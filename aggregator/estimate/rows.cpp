// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/rows.hpp"

#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/k_randomized_response.hpp"
#include "aggregator/estimate/next_level.hpp"
#include "aggregator/estimate/one_bit_mean.hpp"
#include "aggregator/estimate/randomized_response.hpp"
#include "aggregator/estimate/unary.hpp"

#include "sotto/registry.h"

#include <functional>

namespace sotto::aggregator {
namespace {

class estimator {
  public:
    estimator(const metric &m, std::uint32_t epoch, const metric_tally &tally)
        : metric_(m), tally_(tally) {
        row_.of = &m;
        row_.epoch = epoch;
        for (std::uint32_t i = 0; i < tally.size(); ++i) {
            if (tally[i].reports > 0) {
                row_.mixed = row_.epsilon > 0;
                row_.epsilon = m.realised(i).value;
                highest_ = i;
            }
        }
    }

    metric_estimate finish() { return std::move(out_); }

    void operator()(const randomized_response_table &) { add_boolean(); }
    void operator()(const laplace_threshold_table &) {
        add(true, estimate_bit_channel(counts_of(1), channels()));
    }

    void operator()(const k_randomized_response_table &table) {
        for (std::uint32_t v = 0; v < table.size; ++v) {
            add(name(v),
                estimate_k_randomized_response(counts_of(v), laws(&level_law::keep), table.size));
        }
    }

    void operator()(const unary_table &table) { add_members(table.size); }

    void operator()(const rappor_table &table) {
        if (metric_.type == SOTTO_TYPE_STRING) {
            add_strings(table);
        } else {
            add_members(table.bits);
        }
    }

    void operator()(const discrete_laplace_table &table) {
        for (std::uint32_t i = 0; i < table.length; ++i) {
            std::vector<number_count> counts;
            for (const level_tally &at : tally_) {
                counts.push_back(at.numbers[i]);
            }
            add(metric_.type == SOTTO_TYPE_VECTOR ? row_value(i) : row_value(),
                estimate_discrete_laplace(counts, laws(&level_law::unit_epsilon)));
        }
    }

    void operator()(const one_bit_mean_table &table) {
        add({},
            estimate_one_bit_mean(counts_of(1), laws(&level_law::flip), {table.min, table.scale}));
    }

    const std::vector<std::string> *candidates = nullptr;

  private:
    std::vector<double> laws(double level_law::*what) const {
        std::vector<double> values;
        for (std::size_t i = 0; i < tally_.size(); ++i) {
            values.push_back(metric_.law(i).*what);
        }
        return values;
    }

    std::vector<bit_channel> channels() const {
        std::vector<bit_channel> values;
        for (std::size_t i = 0; i < tally_.size(); ++i) {
            values.push_back({metric_.law(i).one_if_zero, metric_.law(i).one_if_one});
        }
        return values;
    }

    // Of an index, by level.
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
        if (!row.mixed && highest_ + 1 < tally_.size()) {
            row.next_std_error = std_error_at(metric_, highest_ + 1, result);
            row.next_epsilon = metric_.realised(highest_ + 1).value;
        }
        out_.rows.push_back(std::move(row));
    }

    void add_boolean() {
        add(true, estimate_randomized_response(counts_of(1), laws(&level_law::flip)));
    }

    void add_members(std::uint32_t size) {
        std::vector<unary_count> counts;
        for (const level_tally &at : tally_) {
            counts.push_back({at.reports, at.ones});
        }
        const std::vector<estimated> found = estimate_unary(counts, channels(), size);
        for (std::uint32_t v = 0; v < size; ++v) {
            add(name(v), found[v]);
        }
    }

    void add_strings(const rappor_table &table) {
        if (candidates->empty()) {
            return;
        }
        std::vector<std::vector<cohort_count>> counts;
        for (const level_tally &at : tally_) {
            counts.emplace_back();
            for (std::size_t c = 0; c < table.cohorts; ++c) {
                const auto begin = at.ones.begin() + static_cast<std::ptrdiff_t>(c * table.bits);
                counts.back().push_back({at.cohorts[c], {begin, begin + table.bits}});
            }
        }
        const candidate_fit fit =
            estimate_rappor(counts, channels(), {table.bits, table.hashes, table.cohorts},
                            bloom_of(table), *candidates);
        out_.strings_are_missing = fit.strings_are_missing();
        for (std::size_t k = 0; k < candidates->size(); ++k) {
            if (const candidate_estimate &one = fit.candidates[k]; one.result) {
                add((*candidates)[k], *one.result);
                out_.rows.back().detected = one.detected;
            } else {
                out_.undetermined.push_back((*candidates)[k]);
            }
        }
    }

    const metric &metric_;
    const metric_tally &tally_;
    estimate_row row_; // what all rows have in common
    std::uint32_t highest_ = 0;
    metric_estimate out_;
};

} // namespace

bool is_mean(const metric &m) {
    return m.type == SOTTO_TYPE_INTEGER || m.type == SOTTO_TYPE_VECTOR || m.type == SOTTO_TYPE_MEAN;
}

metric_estimate estimate_metric(const metric &m, std::uint32_t epoch, const metric_tally &tally,
                                const std::vector<std::string> &candidates) {
    estimator e(m, epoch, tally);
    e.candidates = &candidates;
    std::visit(std::ref(e), m.table);
    return e.finish();
}

} // namespace sotto::aggregator
