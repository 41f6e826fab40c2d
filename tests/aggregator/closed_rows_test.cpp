// SPDX-License-Identifier: Apache-2.0
// Sums of rows over time against least squares as a textbook has it, and against the tables of
// docs/STREAMS.md.
#include "aggregator/statistics/closed_rows.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {
namespace {

struct added_row {
    std::size_t level;
    std::uint32_t last;
    row_reading reading;
};

// Rows of random readings; some are missing, leaves too.
std::vector<added_row> some_rows(std::mt19937 &random, const std::vector<std::uint32_t> &spans,
                                 std::uint32_t epochs, double missing) {
    std::uniform_real_distribution<double> share(0, 1);
    std::vector<added_row> rows;
    for (std::size_t level = 0; level < spans.size(); ++level) {
        for (std::uint32_t last = spans[level] - 1; last < epochs; last += spans[level]) {
            if (share(random) >= missing) {
                rows.push_back({level, last, {10 * share(random), 0.5 + share(random)}});
            }
        }
    }
    return rows;
}

// The best linear unbiased estimate by the normal equations. An epoch without a leaf is unknown, so
// it gets a leaf of a variance that says nothing.
weighed_sum by_matrix(const std::vector<added_row> &rows, const std::vector<std::uint32_t> &spans,
                      const Eigen::VectorXd &w, std::uint32_t known) {
    const Eigen::Index n = w.size();
    Eigen::MatrixXd information = 1e-9 * Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
    for (const added_row &row : rows) {
        if (row.last > known) {
            continue;
        }
        Eigen::VectorXd in = Eigen::VectorXd::Zero(n);
        in.segment(row.last + 1 - spans[row.level], spans[row.level]).setOnes();
        information += in * in.transpose() / row.reading.variance;
        right += in * row.reading.value / row.reading.variance;
    }
    const Eigen::LDLT<Eigen::MatrixXd> solved(information);
    return {w.dot(solved.solve(right)), w.dot(solved.solve(w)), 0};
}

void expect_same(const std::vector<std::uint32_t> &spans, std::uint32_t epochs, double missing,
                 double rate, unsigned seed) {
    std::mt19937 random(seed);
    const std::vector<added_row> rows = some_rows(random, spans, epochs, missing);
    closed_rows in(spans);
    weighed_sums::weights weights;
    for (const added_row &row : rows) {
        in.add(row.level, row.last, row.reading);
        if (row.level == 0) {
            weights[row.last] = std::uniform_real_distribution<double>(0.5, 2)(random);
        }
    }
    weighed_sums sums(in, weights, rate);
    for (int i = 0; i < 60; ++i) {
        const auto first = static_cast<std::uint32_t>(random() % epochs);
        const auto last = first + static_cast<std::uint32_t>(random() % (epochs - first));
        const auto known = last + static_cast<std::uint32_t>(random() % (epochs - last));
        Eigen::VectorXd w = Eigen::VectorXd::Zero(epochs);
        std::uint32_t with = 0;
        for (const auto &[epoch, weight] : weights) {
            if (epoch >= first && epoch <= last) {
                w[epoch] = weight * std::pow(rate, last - epoch);
                ++with;
            }
        }
        const weighed_sum expected = by_matrix(rows, spans, w, known);
        const weighed_sum found = sums.sum(first, last, known);
        ASSERT_NEAR(found.value, expected.value, 1e-5 * (1 + std::abs(expected.value)))
            << first << " to " << last << ", known " << known << ", seed " << seed;
        ASSERT_NEAR(found.variance, expected.variance, 1e-5 * (1 + expected.variance));
        ASSERT_EQ(found.epochs, with);
    }
}

TEST(ClosedRows, AreJoinedByLeastSquares) {
    for (unsigned seed = 0; seed < 8; ++seed) {
        expect_same({1}, 20, 0, 1, seed);
        expect_same({1, 4, 16}, 50, 0, 1, seed);
        expect_same({1, 2, 8}, 37, 0, 0.8, seed);
    }
}

// Rows that some device closed, or none, where an epoch has no report of its own.
TEST(ClosedRows, MayBeMissing) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        expect_same({1, 3, 9}, 30, 0.3, 1, seed);
        expect_same({1, 2, 4, 8}, 33, 0.5, 0.9, seed);
    }
}

// --- the tables, at epsilon 1

struct design {
    std::uint32_t fanout, levels;
};

closed_rows all_closed(const design &tree, std::uint32_t epochs) {
    std::vector<std::uint32_t> spans = {1};
    while (spans.size() < tree.levels) {
        spans.push_back(spans.back() * tree.fanout);
    }
    closed_rows rows(spans);
    const double variance = discrete_laplace_variance(1.0 / tree.levels);
    for (std::size_t level = 0; level < spans.size(); ++level) {
        for (std::uint32_t last = spans[level] - 1; last < epochs; last += spans[level]) {
            rows.add(level, last, {0, variance});
        }
    }
    return rows;
}

weighed_sums::weights ones(std::uint32_t epochs) {
    weighed_sums::weights w;
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
        w[epoch] = 1;
    }
    return w;
}

// Over the prefixes of `epochs`; smoothed: by all rows.
double prefix_rmse(const design &tree, std::uint32_t epochs, bool smoothed) {
    const closed_rows rows = all_closed(tree, epochs);
    weighed_sums sums(rows, ones(epochs));
    const std::uint32_t step = epochs > 4096 ? 7 : 1; // prime to every span: a fair sample
    double variance = 0, count = 0;
    for (std::uint32_t last = 0; last < epochs; last += step) {
        variance += sums.sum(0, last, smoothed ? epochs - 1 : last).variance;
        ++count;
    }
    return std::sqrt(variance / count);
}

double window_rmse(const design &tree, std::uint32_t window) {
    constexpr std::uint32_t epochs = 2048;
    const closed_rows rows = all_closed(tree, epochs);
    weighed_sums sums(rows, ones(epochs));
    double variance = 0;
    for (std::uint32_t last = 1024; last < epochs; ++last) {
        variance += sums.sum(last + 1 - window, last, last).variance;
    }
    return std::sqrt(variance / 1024);
}

void expect_within(double found, double expected, const std::string &what) {
    std::printf("%-42s %6.1f, expected %6.1f\n", what.c_str(), found, expected);
    EXPECT_NEAR(found / expected, 1, 0.03) << what;
}

TEST(ClosedRows, HaveThePrefixErrorsOfTheTable) {
    expect_within(prefix_rmse({8, 3}, 1024, false), 15.3, "tree 8, 2^10 epochs");
    expect_within(prefix_rmse({8, 5}, 65536, false), 31.0, "tree 8, 2^16 epochs");
    expect_within(prefix_rmse({16, 3}, 1024, false), 16.9, "tree 16, 2^10 epochs");
    expect_within(prefix_rmse({16, 4}, 65536, false), 30.2, "tree 16, 2^16 epochs");
    expect_within(prefix_rmse({16, 3}, 1024, true), 11.0, "tree 16, smoothed, 2^10 epochs");
    expect_within(prefix_rmse({16, 4}, 65536, true), 21.7, "tree 16, smoothed, 2^16 epochs");
}

TEST(ClosedRows, HaveTheWindowErrorsOfTheTable) {
    const std::uint32_t windows[] = {7, 30, 90, 365};
    const double identity[] = {3.6, 7.4, 12.9, 25.9}, tree_8[] = {6.4, 7.8, 10.7, 18.7},
                 tree_16[] = {7.1, 9.3, 10.8, 15.5}, cum[] = {16.7, 20.1, 22.2, 24.1};
    for (int i = 0; i < 4; ++i) {
        const std::string window = ", last " + std::to_string(windows[i]);
        expect_within(window_rmse({1, 1}, windows[i]), identity[i], "identity" + window);
        expect_within(window_rmse({8, 2}, windows[i]), tree_8[i], "tree 8 of 2" + window);
        expect_within(window_rmse({16, 2}, windows[i]), tree_16[i], "tree 16 of 2" + window);
        expect_within(window_rmse({2, 9}, windows[i]), cum[i], "tree 2 of 9, as Cum," + window);
    }
}

} // namespace
} // namespace sotto::aggregator::test
