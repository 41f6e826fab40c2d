// SPDX-License-Identifier: Apache-2.0
// Counts that can be, and counts of releases that were relaxed because of what they said.
#include "aggregator/estimate/rows.hpp"
#include "aggregator/estimate/selective_relaxation.hpp"
#include "aggregator/statistics/consistent.hpp"
#include "aggregator/statistics/k_randomized_response.hpp"
#include "trials.hpp"

#include "sotto/registry.h"

#include <Eigen/LU>
#include <array>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

void expect_near(const std::vector<double> &found, const std::vector<double> &wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], wanted[i], 1e-9) << i;
    }
}

// By hand: 60 + 50 - 20 = 90 of 100: without the negative one there are 10 too many, 5 from each.
TEST(Consistent, IsTheProjectionOntoTheSimplex) {
    const double counts[] = {60, 50, -20};
    expect_near(consistent_counts(counts, 100, 100, false), {55, 45, 0});
    expect_near(consistent_counts(counts, 100, 200, true), {60, 50, 0});
    expect_near(consistent_counts(counts, 100, 100, true), {55, 45, 0});
    const double few[] = {10, 20, 30};
    expect_near(consistent_counts(few, 100, 90, false), {20, 30, 40});
    expect_near(consistent_counts(few, 100, 90, true), {10, 20, 30});
    const double over[] = {130};
    expect_near(consistent_counts(over, 100, 100, true), {100});
    const double high[] = {150, 10};
    expect_near(consistent_counts(high, 100, 120, false), {100, 20});
    EXPECT_TRUE(consistent_counts({}, 1, 1, false).empty());
}

// The nearest point is nearer than other points that can be.
TEST(Consistent, IsTheNearest) {
    generator random(1);
    std::normal_distribution<double> draw(10, 40);
    std::exponential_distribution<double> other(1);
    for (int i = 0; i < 200; ++i) {
        std::array<double, 6> counts, point;
        double sum = 0;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            counts[k] = draw(random);
            sum += point[k] = other(random);
        }
        const std::vector<double> nearest = consistent_counts(counts, 100, 100, false);
        double here = 0, there = 0, total = 0;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            total += nearest[k];
            here += std::pow(nearest[k] - counts[k], 2);
            there += std::pow(100 * point[k] / sum - counts[k], 2);
        }
        EXPECT_NEAR(total, 100, 1e-9);
        EXPECT_LE(here, there);
    }
}

// Draws releases top down, as a device does, and relaxes those whose first value `chosen` names.
relaxation_outcomes draw(generator &random, const std::vector<std::uint64_t> &truth,
                         double keep_first, double keep_second, const std::vector<double> &chosen) {
    const std::size_t size = truth.size();
    std::uniform_real_distribution<double> unit(0, 1);
    const auto through = [&](std::size_t value, double keep) {
        return unit(random) < keep
                   ? value
                   : std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
    };
    relaxation_outcomes out = {keep_first, std::vector<std::uint64_t>(size), {}};
    out.relaxed.push_back({keep_second, out.kept, out.kept});
    for (std::size_t x = 0; x < size; ++x) {
        for (std::uint64_t i = 0; i < truth[x]; ++i) {
            const std::size_t second = through(x, keep_second);
            const std::size_t first = through(second, keep_first / keep_second);
            if (unit(random) < chosen[first]) {
                ++out.relaxed[0].from[first];
                ++out.relaxed[0].counts[second];
            } else {
                ++out.kept[first];
            }
        }
    }
    return out;
}

// epsilon 1, and 2 where the answer was yes; 48 % are true. Reading the last value only is off by
// -0.71 of the truth: the enumerated bias is -0.3418 of all releases.
TEST(SelectiveRelaxation, IsUnbiasedWhereTheLastValueIsNot) {
    generator random(2);
    const double flip[] = {1 / (1 + std::exp(1.0)), 1 / (1 + std::exp(2.0))};
    trials seen;
    double naive = 0;
    for (int i = 0; i < trials::count; ++i) {
        const relaxation_outcomes o =
            draw(random, {520, 480}, 1 - 2 * flip[0], 1 - 2 * flip[1], {0, 1});
        const std::vector<std::uint64_t> &relaxed = o.relaxed[0].counts;
        EXPECT_EQ(o.kept[1] + o.relaxed[0].from[0], 0u);
        seen.add(estimate_selectively_relaxed(o).values[1], 480);
        const level_count last[] = {{o.kept[0], 0}, {relaxed[0] + relaxed[1], relaxed[1]}};
        naive += (estimate_flips(last, flip).value - 480) / 480 / trials::count;
    }
    EXPECT_TRUE(seen.covers_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
    EXPECT_TRUE(seen.agrees_with(seen.said_error()));
    // The mean of 2,000 rounds with a standard deviation of .09.
    EXPECT_NEAR(naive, -0.71, 0.02);
}

// Nobody was relaxed, or everybody: then it is the plain estimate of that level.
TEST(SelectiveRelaxation, IsThePlainEstimateAtEitherEnd) {
    const double keep[] = {0.3, 0.6};
    relaxation_outcomes o = {0.3, {450, 300, 250}, {}};
    for (std::size_t x = 0; x < 3; ++x) {
        const level_count count[] = {{1000, o.kept[x]}};
        const estimated plain = estimate_categories(count, {keep, 1}, 3);
        const estimated found = estimate_selectively_relaxed(o).values[x];
        EXPECT_NEAR(found.value, plain.value, 1e-9);
        EXPECT_NEAR(found.std_error, plain.std_error, 1e-9);
        EXPECT_EQ(found.reports, 1000u);
    }
    // Below zero: the error is that of the consistent counts 833, 167 and 0.
    const std::vector<estimated> beyond =
        estimate_selectively_relaxed({0.3, {500, 300, 200}, {}}).values;
    const bit_channel channel = k_randomized_response_channel(0.3, 3);
    EXPECT_NEAR(beyond[2].value, -1000 / 9.0, 1e-9);
    EXPECT_NEAR(beyond[0].std_error, std::sqrt(bit_channel_variance(1000, 2500 / 3.0, channel)),
                1e-6);
    EXPECT_NEAR(beyond[2].std_error, std::sqrt(bit_channel_variance(1000, 0, channel)), 1e-6);
    // The first of two values adds nothing to the second.
    const std::vector<std::uint64_t> last = {450, 350, 200};
    o = {0.3, {0, 0, 0}, {{0.6, {350, 350, 300}, last}}};
    for (std::size_t x = 0; x < 3; ++x) {
        const level_count count[] = {{1000, last[x]}};
        const estimated plain = estimate_categories(count, {keep + 1, 1}, 3);
        EXPECT_NEAR(estimate_selectively_relaxed(o).values[x].value, plain.value, 1e-9);
    }
    EXPECT_EQ(estimate_selectively_relaxed({0.3, {0, 0}, {}}).values[1].reports, 0u);
}

// Five categories, relaxed always, never, or by a coin that depends on what was said.
TEST(SelectiveRelaxation, CoversCategories) {
    generator random(3);
    const std::vector<std::uint64_t> truth = {400, 50, 300, 0, 250};
    std::array<trials, 5> seen;
    for (int i = 0; i < trials::count; ++i) {
        const relaxation_outcomes o = draw(random, truth, 0.25, 0.55, {1, 1, 0, 0.5, 0.2});
        const std::vector<estimated> found = estimate_selectively_relaxed(o).values;
        for (std::size_t x = 0; x < 5; ++x) {
            seen[x].add(found[x], static_cast<double>(truth[x]));
        }
    }
    for (const trials &method : seen) {
        EXPECT_TRUE(method.covers_95()) << method.covered();
        EXPECT_TRUE(method.unbiased());
        EXPECT_TRUE(method.agrees_with(method.said_error()));
    }
}

// 300 releases in 20 categories, epsilon 1, and 3 for two of them: a few weigh much, so the noise
// is skew. Intervals of a normal law are the negative control.
TEST(SelectiveRelaxation, CoversWhereFewReleasesWeighMuch) {
    generator random(8);
    std::vector<std::uint64_t> truth(20);
    std::vector<double> relax(20);
    const std::uint64_t some[] = {90, 60, 30, 30, 30, 30, 30};
    std::copy(std::begin(some), std::end(some), truth.begin());
    relax[2] = relax[4] = 1;
    const auto keep_at = [](double epsilon) {
        return std::expm1(epsilon) / (std::exp(epsilon) + 19);
    };
    std::array<trials, 8> seen;
    trials normal;
    for (int i = 0; i < trials::count; ++i) {
        std::vector<estimated> found =
            estimate_selectively_relaxed(draw(random, truth, keep_at(1), keep_at(3), relax)).values;
        for (std::size_t x = 0; x < seen.size(); ++x) {
            seen[x].add(found[x], static_cast<double>(truth[x]));
        }
        found[2].errors_wide = normal_95;
        normal.add(found[2], 30);
    }
    for (const trials &method : seen) {
        EXPECT_TRUE(method.covers_at_least_95()) << method.covered();
    }
    EXPECT_FALSE(normal.covers_at_least_95()) << normal.covered();
}

// The weights by their definition: one round from these shares, every first and last value an
// outcome of its own. Behind the values stand the least and the most that one release adds.
std::vector<double> by_definition(const relaxation_outcomes &o, const Eigen::VectorXd &shares) {
    const Eigen::Index size = shares.size();
    const auto through = [&](double keep, Eigen::Index from, Eigen::Index said) {
        return (1 - keep) / static_cast<double>(size) + (from == said ? keep : 0);
    };
    const auto &at = o.relaxed[0];
    Eigen::MatrixXd given = Eigen::MatrixXd::Zero(size, size * (size + 1));
    for (Eigen::Index first = 0; first < size; ++first) {
        const auto f = static_cast<std::size_t>(first);
        const double share =
            static_cast<double>(at.from[f]) / static_cast<double>(at.from[f] + o.kept[f]);
        for (Eigen::Index x = 0; x < size; ++x) {
            given(x, first) = (1 - share) * through(o.keep_first, x, first);
            for (Eigen::Index last = 0; last < size; ++last) {
                given(x, size + first * size + last) = share * through(at.keep, x, last) *
                                                       through(o.keep_first / at.keep, last, first);
            }
        }
    }
    const Eigen::VectorXd chances = given.transpose() * shares;
    const Eigen::MatrixXd weighted =
        chances.unaryExpr([](double p) { return p > 0 ? 1 / p : 0; }).asDiagonal() *
        given.transpose();
    const Eigen::MatrixXd h = weighted * (given * weighted).inverse();
    // By what was said last alone: all pairs that end in it weigh the same.
    std::vector<double> out;
    for (Eigen::Index x = 0; x < size; ++x) {
        out.push_back(0);
        for (Eigen::Index v = 0; v < size; ++v) {
            const auto i = static_cast<std::size_t>(v);
            const Eigen::Index last = size + v; // first value 0, which is never kept
            out.back() += h(v, x) * static_cast<double>(o.kept[i]) +
                          h(last, x) * static_cast<double>(at.counts[i]);
            EXPECT_NEAR(h(last, x), h(last + size, x), 1e-9);
        }
    }
    out.push_back(h.minCoeff());
    out.push_back(h.maxCoeff());
    return out;
}

// The closed form equals the definition. The first of two rounds starts from even shares.
TEST(SelectiveRelaxation, IsWhatItsDefinitionSays) {
    const relaxation_outcomes o = {
        0.3, {0, 200, 500, 300}, {{0.7, {250, 50, 0, 150}, {100, 150, 120, 80}}}};
    const double even = 0.25, reports = 1450;
    Eigen::VectorXd shares = Eigen::VectorXd::Constant(4, even);
    std::vector<double> found = by_definition(o, shares);
    const std::vector<double> able =
        consistent_counts(std::span(found).first(4), reports, reports, false);
    for (std::size_t x = 0; x < 4; ++x) {
        shares[static_cast<Eigen::Index>(x)] = 0.99 / reports * able[x] + 0.01 * even;
    }
    found = by_definition(o, shares);
    const selective_estimate closed = estimate_selectively_relaxed(o);
    for (std::size_t x = 0; x < 4; ++x) {
        EXPECT_NEAR(closed.values[x].value, found[x], 1e-8);
    }
    EXPECT_NEAR(closed.least, found[4], 1e-9);
    EXPECT_NEAR(closed.most, found[5], 1e-9);
}

// One in fifty of those that said yes has been asked so far. One of them would weigh as much as
// many that have not: what it said first counts.
TEST(SelectiveRelaxation, IsUnbiasedWhereFewWereAsked) {
    generator random(5);
    const double keep_first = std::tanh(0.25), keep_second = std::tanh(4);
    trials seen;
    for (int i = 0; i < trials::count; ++i) {
        const relaxation_outcomes o =
            draw(random, {950, 50}, keep_first, keep_second, {0, i % 2 == 0 ? 0.02 : 0.2});
        const selective_estimate found = estimate_selectively_relaxed(o);
        const std::uint64_t asked = o.relaxed[0].from[1];
        EXPECT_LE(found.most - found.least, selected_weight / keep_first * 1.001);
        if (i % 2 == 0) {
            EXPECT_EQ(found.by_first, asked);
        }
        seen.add(found.values[1], 50);
    }
    EXPECT_TRUE(seen.covers_at_least_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
}

// Devices make out that they were asked, whether nobody was or some were. They move the estimate no
// further than four times as many that send a plain yes where nobody is asked.
TEST(SelectiveRelaxation, AForgedReleaseWeighsLittleMoreThanAPlainOne) {
    for (const std::size_t size : {std::size_t{2}, std::size_t{20}}) {
        const double low = size == 2 ? 0.5 : 1, e = std::exp(low);
        const double keep_first = (e - 1) / (e - 1 + static_cast<double>(size));
        const double keep_second = std::expm1(8) / (std::expm1(8) + static_cast<double>(size));
        // As often as expected: of 50,000 releases 2 % are of the last value.
        relaxation_outcomes honest = {keep_first, std::vector<std::uint64_t>(size), {}};
        for (std::size_t v = 0; v < size; ++v) {
            const double share = v + 1 == size ? 0.02 : v == 0 ? 0.98 : 0;
            honest.kept[v] = static_cast<std::uint64_t>(
                50'000 * (keep_first * share + (1 - keep_first) / static_cast<double>(size)));
        }
        for (const std::uint64_t forged : {10u, 50u, 500u}) {
            for (const std::uint64_t asked : {0u, 100u, 5000u}) {
                relaxation_outcomes before = honest;
                before.relaxed.push_back({keep_second, std::vector<std::uint64_t>(size),
                                          std::vector<std::uint64_t>(size)});
                before.relaxed[0].from[0] = before.relaxed[0].counts[0] = asked;
                before.kept[0] -= asked;
                relaxation_outcomes after = before;
                for (std::uint64_t i = 0; i < forged; ++i) {
                    ++after.relaxed[0].from[i % size];
                    ++after.relaxed[0].counts.back();
                }
                const auto last_of = [](const relaxation_outcomes &o) {
                    return estimate_selectively_relaxed(o).values.back().value;
                };
                relaxation_outcomes plain = honest;
                plain.kept.back() += forged;
                EXPECT_LE(last_of(after) - last_of(before), 4 * (last_of(plain) - last_of(honest)))
                    << size << ' ' << forged << ' ' << asked;
            }
        }
    }
}

// One forged report must not ask for the square of the categories in memory, or more.
TEST(SelectiveRelaxation, TakesAsLongAsThereAreCategories) {
    const std::size_t size = 65'535;
    const std::vector<std::uint64_t> one_each(size, 1);
    relaxation_outcomes o = {0.01, one_each, {{0.2, one_each, one_each}}};
    o.relaxed[0].from[1] += 1;
    o.relaxed[0].counts[0] += 1;
    const selective_estimate found = estimate_selectively_relaxed(o);
    double sum = 0;
    for (const estimated &value : found.values) {
        sum += value.value;
    }
    EXPECT_NEAR(sum, 2.0 * size + 1, 1e-3);
    EXPECT_GT(found.values[0].value, found.values[2].value);
    EXPECT_EQ(found.by_first, 0u);
}

// In a row of an estimate: of 1,000 releases those that said yes were relaxed. Everybody was asked
// to relax 500 more, whatever they had said.
TEST(SelectiveRelaxation, AddsUpWithThoseThatWereNotAsked) {
    generator random(4);
    metric m;
    m.type = SOTTO_TYPE_BOOLEAN;
    m.table = randomized_response_table();
    m.levels.resize(2);
    m.costs.resize(2);
    m.levels[0].law = flip_law{0.3};
    m.levels[1].law = flip_law{0.1};
    trials seen, naive;
    for (int i = 0; i < trials::count; ++i) {
        const relaxation_outcomes o = draw(random, {700, 300}, 0.4, 0.8, {0, 1});
        const level_count asked = through(random, 500, 200, {0.1, 0.9});
        const std::vector<std::uint64_t> &relaxed = o.relaxed[0].counts;
        metric_tally tally = empty_tally(m);
        tally[0].ones = o.kept;
        tally[0].reports = o.kept[0] + o.kept[1];
        tally[1].ones = {relaxed[0] + asked.reports - asked.ones, relaxed[1] + asked.ones};
        tally[1].reports = tally[1].ones[0] + tally[1].ones[1];
        decode_options options;
        naive.add(estimate_metric(m, 0, tally, options).rows[0].result, 500);
        options.selected = {{0, 1, 1, 0, relaxed[0]}, {0, 1, 1, 1, relaxed[1]}};
        seen.add(estimate_metric(m, 0, tally, options).rows[0].result, 500);
    }
    EXPECT_TRUE(seen.covers_95()) << seen.covered();
    EXPECT_TRUE(seen.unbiased());
    EXPECT_FALSE(naive.unbiased());
}

} // namespace
} // namespace sotto::aggregator::test
