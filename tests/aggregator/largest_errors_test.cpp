// SPDX-License-Identifier: Apache-2.0
// The largest error of a run's prefixes, and errors of the papers' own sums, against the published
// tables. Noise is drawn by textbook.
#include "aggregator/statistics/closed_rows.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "trials.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace sotto::aggregator::test {
namespace {

using errors = std::vector<double>; // by prefix

struct tree {
    std::uint32_t fanout, levels;
};

// Each row by its level and number, drawn when it is asked for.
class drawn_rows {
  public:
    drawn_rows(generator &random, std::uint32_t epsilon_parts)
        : random_(random), unit_(1.0 / epsilon_parts) {}
    double at(std::uint32_t level, std::uint32_t row) {
        const auto [found, is_new] = rows_.try_emplace({level, row}, 0);
        if (is_new) {
            found->second = static_cast<double>(laplace(random_, unit_));
        }
        return found->second;
    }

  private:
    generator &random_;
    double unit_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> rows_;
};

// As the host joins them.
errors joined(generator &random, const tree &design, std::uint32_t epochs) {
    std::vector<std::uint32_t> spans = {1};
    while (spans.size() < design.levels) {
        spans.push_back(spans.back() * design.fanout);
    }
    closed_rows rows(spans);
    const double unit = 1.0 / design.levels, variance = discrete_laplace_variance(unit);
    for (std::size_t level = 0; level < spans.size(); ++level) {
        for (std::uint32_t last = spans[level] - 1; last < epochs; last += spans[level]) {
            rows.add(level, last, {static_cast<double>(laplace(random, unit)), variance});
        }
    }
    weighed_sums::weights ones;
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
        ones[epoch] = 1;
    }
    weighed_sums sums(rows, ones);
    errors found;
    for (std::uint32_t last = 0; last < epochs; ++last) {
        found.push_back(sums.sum(0, last, last).value);
    }
    return found;
}

// Cum of paper 004 without its root: the rows of the binary digits of t.
errors cum(generator &random, std::uint32_t levels) {
    drawn_rows rows(random, levels);
    errors found;
    for (std::uint32_t t = 1; t < 1U << levels; ++t) {
        double sum = 0;
        for (std::uint32_t level = 0; level < levels; ++level) {
            sum += (t >> level & 1) != 0 ? rows.at(level, (t >> level) - 1) : 0;
        }
        found.push_back(sum);
    }
    return found;
}

// PPCum: the noise of the block, and of each node that the epoch lies in.
errors pp_cum(generator &random, std::uint32_t levels) {
    drawn_rows rows(random, levels + 1);
    errors found;
    for (std::uint32_t t = 0; t < 1U << levels; ++t) {
        double sum = 0;
        for (std::uint32_t level = 0; level <= levels; ++level) {
            sum += rows.at(level, t >> level);
        }
        found.push_back(sum);
    }
    return found;
}

// Whether both are within 3 %.
template <typename Run>
bool is_near(const char *name, int runs, double rmse, double largest, Run run) {
    generator random(17);
    double squares = 0, count = 0;
    std::vector<double> furthest;
    for (int i = 0; i < runs; ++i) {
        const errors found = run(random);
        squares += std::inner_product(found.begin(), found.end(), found.begin(), 0.0);
        count += static_cast<double>(found.size());
        const auto [least, most] = std::ranges::minmax(found);
        furthest.push_back(std::max(-least, most));
    }
    std::ranges::nth_element(furthest, furthest.begin() + runs / 2);
    const double seen = std::sqrt(squares / count),
                 median = furthest[static_cast<std::size_t>(runs / 2)];
    std::printf("%-18s root mean square %6.1f, published %6.1f; median of the largest %5.0f, "
                "published %5.0f\n",
                name, seen, rmse, median, largest);
    return std::abs(seen / rmse - 1) <= 0.03 && std::abs(median / largest - 1) <= 0.03;
}

auto of_tree(const tree &design, std::uint32_t epochs) {
    return [=](generator &random) { return joined(random, design, epochs); };
}
auto of_cum(std::uint32_t levels) {
    return [=](generator &random) { return cum(random, levels); };
}
auto of_pp_cum(std::uint32_t levels) {
    return [=](generator &random) { return pp_cum(random, levels); };
}

TEST(LargestErrors, AreThoseOfTheTable) {
    EXPECT_TRUE(is_near("Cum, 2^10", 1000, 31.6, 115, of_cum(10)));
    EXPECT_TRUE(is_near("PPCum, 2^10", 1000, 51.6, 169, of_pp_cum(10)));
    EXPECT_TRUE(is_near("tree 8 of 3, 2^10", 1000, 15.3, 47, of_tree({8, 3}, 1024)));
    EXPECT_TRUE(is_near("tree 16 of 3, 2^10", 1000, 16.9, 54, of_tree({16, 3}, 1024)));
    EXPECT_FALSE(is_near("the control", 200, 16.9, 54, of_tree({8, 3}, 1024)));
}

// Some minutes: with --gtest_also_run_disabled_tests.
TEST(LargestErrors, DISABLED_AreThoseOfTheLongTable) {
    EXPECT_TRUE(is_near("Cum, 2^16", 200, 64.0, 313, of_cum(16)));
    EXPECT_TRUE(is_near("PPCum, 2^16", 200, 99.1, 436, of_pp_cum(16)));
    EXPECT_TRUE(is_near("tree 8 of 5, 2^16", 200, 31.0, 133, of_tree({8, 5}, 65536)));
    EXPECT_TRUE(is_near("tree 16 of 4, 2^16", 200, 30.2, 128, of_tree({16, 4}, 65536)));
}

} // namespace
} // namespace sotto::aggregator::test
