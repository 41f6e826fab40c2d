// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/selective_relaxation.hpp"

#include "aggregator/estimate/consistent.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace sotto::aggregator {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double chance(double keep, Index size, bool same) {
    return (same ? keep : 0) + (1 - keep) / static_cast<double>(size);
}

// The outcomes that can be: their counts, and a column of P(o | x) each.
struct outcome_table {
    VectorXd counts;
    MatrixXd given; // a row for each true value
};

outcome_table table_of(const relaxation_outcomes &outcomes) {
    const auto size = static_cast<Index>(outcomes.kept.size());
    std::vector<VectorXd> columns;
    std::vector<double> counts;
    const auto add = [&](double count, auto chance_given) {
        VectorXd column(size);
        for (Index x = 0; x < size; ++x) {
            column[x] = chance_given(x);
        }
        columns.push_back(std::move(column));
        counts.push_back(count);
    };
    for (Index first = 0; first < size; ++first) {
        const auto count_at = [&](const relaxation_outcomes::level &at, Index second) {
            return static_cast<double>(at.counts[static_cast<std::size_t>(first * size + second)]);
        };
        const auto kept = static_cast<double>(outcomes.kept[static_cast<std::size_t>(first)]);
        double all = kept;
        for (const auto &at : outcomes.relaxed) {
            for (Index second = 0; second < size; ++second) {
                all += count_at(at, second);
            }
        }
        double left = 1; // of the releases of this first value: kept
        for (const auto &at : outcomes.relaxed) {
            double relaxed = 0;
            for (Index second = 0; second < size; ++second) {
                relaxed += count_at(at, second);
            }
            const double share = all > 0 ? relaxed / all : 0;
            left -= share;
            for (Index second = 0; second < size && share > 0; ++second) {
                add(count_at(at, second), [&](Index x) {
                    return share * chance(at.keep, size, second == x) *
                           chance(outcomes.keep_first / at.keep, size, first == second);
                });
            }
        }
        if (kept > 0 || all == 0) {
            add(kept,
                [&](Index x) { return left * chance(outcomes.keep_first, size, first == x); });
        }
    }
    outcome_table out;
    out.counts = Eigen::Map<VectorXd>(counts.data(), static_cast<Index>(counts.size()));
    out.given.resize(size, out.counts.size());
    for (std::size_t o = 0; o < columns.size(); ++o) {
        out.given.col(static_cast<Index>(o)) = columns[o];
    }
    return out;
}

// The weights that are best were the values as frequent as `shares`: a row for each outcome.
MatrixXd weights(const outcome_table &table, const VectorXd &shares) {
    const VectorXd inverse = (table.given.transpose() * shares).cwiseInverse();
    const MatrixXd weighted = inverse.asDiagonal() * table.given.transpose();
    const MatrixXd square = table.given * weighted;
    return weighted * square.ldlt().solve(MatrixXd::Identity(square.rows(), square.cols()));
}

} // namespace

std::vector<estimated> estimate_selectively_relaxed(const relaxation_outcomes &outcomes) {
    const outcome_table table = table_of(outcomes);
    const double reports = table.counts.sum();
    const auto size = table.given.rows();
    std::vector<estimated> out(outcomes.kept.size());
    if (reports == 0) {
        return out;
    }
    // Any shares give an unbiased estimate, near ones a good one: so twice.
    VectorXd shares = VectorXd::Constant(size, 1.0 / static_cast<double>(size));
    MatrixXd h;
    VectorXd found, able;
    for (int round = 0; round < 2; ++round) {
        h = weights(table, shares);
        found = h.transpose() * table.counts;
        const std::vector<double> counts(found.data(), found.data() + size);
        const std::vector<double> those = consistent_counts(counts, reports, reports, false);
        able = Eigen::Map<const VectorXd>(those.data(), size);
        shares = (0.99 / reports * able).array() + 0.01 / static_cast<double>(size);
    }
    const VectorXd squares = h.cwiseAbs2().transpose() * (table.given.transpose() * able);
    for (Index x = 0; x < size; ++x) {
        estimated &one = out[static_cast<std::size_t>(x)];
        one.value = found[x];
        // Of a release of another value the mean is 0, of this one 1.
        one.std_error = std::sqrt(std::max(0.0, squares[x] - able[x]));
        one.reports = static_cast<std::uint64_t>(reports);
    }
    return out;
}

namespace {

// P(published == true) less what is uniform, of a level alone; nothing for other mechanisms.
std::optional<double> keep_of(const metric &m, std::uint32_t level) {
    if (std::holds_alternative<randomized_response_table>(m.table)) {
        return 1 - 2 * m.law(level).flip;
    }
    if (std::holds_alternative<k_randomized_response_table>(m.table)) {
        return m.law(level).keep;
    }
    return std::nullopt;
}

} // namespace

bool allows_for_selection(const metric &m) { return keep_of(m, 0).has_value(); }

std::vector<estimated> estimate_with_selection(const metric &m, const metric_tally &tally,
                                               std::span<const selected_count> selected) {
    const std::size_t size = m.value_size();
    std::vector<estimated> sum(size);
    if (selected.empty() || !allows_for_selection(m)) {
        return {};
    }
    metric_tally others = tally;
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::uint64_t>>> by_low;
    for (const selected_count &one : selected) {
        auto &counts = by_low[one.low_level][one.level];
        counts.resize(size * size);
        counts[one.low_value * size + one.value] += one.count;
        others[one.level].ones[one.value] -= one.count;
        others[one.level].reports -= one.count;
    }
    const auto add = [&](const std::vector<estimated> &more) {
        for (std::size_t v = 0; v < size; ++v) {
            sum[v].value += more[v].value;
            sum[v].std_error = std::hypot(sum[v].std_error, more[v].std_error);
            sum[v].reports += more[v].reports;
        }
    };
    for (const auto &[low, relaxed] : by_low) {
        relaxation_outcomes outcomes = {*keep_of(m, low), others[low].ones, {}};
        for (const auto &[level, counts] : relaxed) {
            outcomes.relaxed.push_back({*keep_of(m, level), counts});
        }
        others[low].reports = 0;
        add(estimate_selectively_relaxed(outcomes));
    }
    for (std::uint32_t level = 0; level < others.size(); ++level) {
        if (others[level].reports > 0) {
            add(estimate_selectively_relaxed({*keep_of(m, level), others[level].ones, {}}));
        }
    }
    return sum;
}

} // namespace sotto::aggregator
