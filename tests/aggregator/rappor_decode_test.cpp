// SPDX-License-Identifier: Apache-2.0
// The hard parts of strings: more candidates than equations, devices that repeat themselves,
// strings that look alike, few cohorts and few bits.
#include "aggregator/statistics/nonnegative.hpp"
#include "aggregator/statistics/rappor_screen.hpp"
#include "rappor_fleet.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

const bit_channel google = rappor_channel(0.5, 0.5, 0.75);

// By hand: without the bound (8/3, -1/3), so x_2 = 0 and x_1 = 5/2.
TEST(Nonnegative, StopsAtZero) {
    Eigen::MatrixXd normal(2, 2);
    normal << 2, 1, 1, 2;
    const Eigen::VectorXd x = nonnegative_least_squares(normal, Eigen::Vector2d(5, 2));
    EXPECT_NEAR(x[0], 2.5, 1e-8);
    EXPECT_EQ(x[1], 0);
    const Eigen::VectorXd inside = nonnegative_least_squares(normal, Eigen::Vector2d(5, 4));
    EXPECT_NEAR(inside[0], 2, 1e-8);
    EXPECT_NEAR(inside[1], 1, 1e-8);
    EXPECT_EQ(nonnegative_least_squares(normal, Eigen::Vector2d(-1, -1)).norm(), 0);
}

TEST(Bonferroni, IsStricter) {
    using flags = std::vector<bool>;
    const double p[] = {0.012, 0.02, 0.001, std::nan("")};
    EXPECT_EQ(bonferroni(p, 0.05), (flags{true, false, true, false}));
    EXPECT_EQ(detect(p, 0.05, correction::benjamini_hochberg), (flags{true, true, true, false}));
    EXPECT_TRUE(bonferroni({}, 0.05).empty());
    EXPECT_NEAR(normal_upper_point(0.025), 1.959963984540054, 1e-12);
    EXPECT_NEAR(normal_upper_point(0.5), 0, 1e-12);
}

// Time grows with the cube of what is fitted at once: as many equations as there may be are never
// fitted whole.
TEST(RapporScreen, BoundsTheLargestFit) {
    EXPECT_EQ(most_without_screen({32, 2, 16}, 16), 409u); // 0.8 of the equations
    for (const rappor_shape &shape : {rappor_shape{128, 2, 32}, rappor_shape{1024, 8, 1024}}) {
        EXPECT_EQ(most_without_screen(shape, shape.cohorts), 1000u);
    }
}

// 1,000 candidates for 128 equations, 10 of them there. All ten are found, and their intervals
// hold: each is eleven standard errors high, so that the screen lets every one in.
TEST(RapporScreen, FindsTheFewAmongMany) {
    generator random(11);
    const rappor_shape shape = {16, 2, 8};
    const bloom_function bloom = bloom_of(shape);
    std::vector<held> fleet;
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) {
        names.push_back("name" + std::to_string(i));
        if (i < 10) {
            fleet.push_back({names.back(), 10'000});
        }
    }
    ASSERT_LT(most_without_screen(shape, 8), names.size());
    constexpr int rounds = 40;
    int found = 0, wrong = 0, covered = 0;
    for (int i = 0; i < rounds; ++i) {
        const std::vector<std::vector<cohort_count>> counts = {
            round_of(random, fleet, shape, google, bloom)};
        const candidate_fit fit = estimate_rappor(counts, {&google, 1}, shape, bloom, names);
        std::size_t in = 0;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const candidate_estimate &candidate = fit.candidates[k];
            EXPECT_EQ(candidate.result.has_value(), candidate.detected);
            EXPECT_EQ(candidate.screened_out, !candidate.detected);
            (k < 10 ? found : wrong) += candidate.detected ? 1 : 0;
            in += candidate.screened_out ? 0 : 1;
            if (k < 10 && candidate.result) {
                covered +=
                    candidate.result->ci_low() <= 10'000 && 10'000 <= candidate.result->ci_high();
            }
        }
        EXPECT_LE(in, most_without_screen(shape, 8));
    }
    EXPECT_GE(found, 10 * rounds * 95 / 100);
    EXPECT_LE(wrong, 2 * rounds);
    // 400 intervals of 95 %: below 340 with a probability of 1e-13 were they independent.
    EXPECT_GE(covered, 340);
}

// A lasso would give everything to one of two strings with the same bits: both are named instead.
// A screened-out candidate is no reason to say that strings are missing from the candidates.
TEST(RapporScreen, LeavesOutTwins) {
    generator random(15);
    const rappor_shape shape = {16, 2, 8};
    const bloom_function hash = bloom_of(shape);
    const bloom_function bloom = [&](const std::string &text, std::uint32_t cohort) {
        return hash(text == "twin too" ? "twin" : text, cohort);
    };
    std::vector<std::string> names = {"twin", "other", "twin too"};
    std::vector<held> fleet = {{"twin", 20'000}, {"other", 10'000}};
    for (int i = 0; i < 500; ++i) {
        names.push_back("name" + std::to_string(i));
        fleet.push_back({names.back(), 2'000'000 / static_cast<std::uint64_t>(400 + i * i)});
    }
    const std::vector<std::vector<cohort_count>> counts = {
        round_of(random, fleet, shape, {0.1, 0.9}, bloom)};
    candidate_fit fit =
        estimate_rappor(counts, std::array{bit_channel{0.1, 0.9}}, shape, bloom, names);
    allow_for_selection(fit);
    for (const std::size_t twin : {std::size_t{0}, std::size_t{2}}) {
        EXPECT_FALSE(fit.candidates[twin].result || fit.candidates[twin].detected);
        EXPECT_FALSE(fit.candidates[twin].screened_out);
    }
    ASSERT_TRUE(fit.candidates[1].result && fit.candidates[1].detected);
    EXPECT_GE(fit.candidates[1].result->half_width(),
              normal_95 * fit.candidates[1].result->std_error);
    EXPECT_GT(fit.misfit, 2);
    EXPECT_FALSE(fit.strings_are_missing());
}

// As many releases, from a tenth as many devices of which each reports its string ten times over.
std::vector<cohort_count> repeated_round(generator &random, const std::vector<held> &fleet,
                                         const rappor_shape &shape, const bloom_function &bloom) {
    constexpr std::uint64_t repeats = 10;
    const std::vector<cohort_count> truth = [&] {
        std::vector<held> devices = fleet;
        for (held &device : devices) {
            device.releases /= repeats;
        }
        return round_of(random, devices, shape, {0, 1}, bloom);
    }();
    std::vector<cohort_count> counts;
    for (const cohort_count &cohort : truth) {
        counts.push_back({cohort.reports * repeats, {}});
        for (const std::uint64_t ones : cohort.ones) {
            const std::uint64_t permanent =
                binomial(random, ones, 0.75) + binomial(random, cohort.reports - ones, 0.25);
            counts.back().ones.push_back(
                binomial(random, repeats * permanent, 0.75) +
                binomial(random, repeats * (cohort.reports - permanent), 0.25));
        }
    }
    return counts;
}

// Eight equations, so that only R can say how much wider the intervals must be. Told nothing, they
// are too narrow, though the misfit of what is left over sees some of it.
TEST(RapporRepeats, WidenTheIntervals) {
    generator random(12);
    const rappor_shape shape = {8, 1, 1};
    const bloom_function bloom = [](const std::string &text, std::uint32_t) {
        return std::vector<std::uint32_t>{static_cast<std::uint32_t>(text[0] % 8)};
    };
    const bit_channel channel = rappor_channel(0.5, 0.25, 0.75);
    const std::vector<held> fleet = {{"B737", 20'000}, {"A320", 8'000}, {"C172", 3'000}};
    const std::vector<std::string> names = {"B737", "A320", "C172"};
    const double flip[] = {0.25};
    trials told, untold;
    for (int i = 0; i < trials::count; ++i) {
        const std::vector<std::vector<cohort_count>> counts = {
            repeated_round(random, fleet, shape, bloom)};
        const auto value_of = [&](double repeats) {
            rappor_options options;
            options.repeated = {repeats, {flip, flip + 1}};
            return *estimate_rappor(counts, {&channel, 1}, shape, bloom, names, options)
                        .candidates[0]
                        .result;
        };
        told.add(value_of(10), 20'000);
        estimated once = value_of(1);
        once.errors_wide = normal_95; // by Student's law nearly all hold
        untold.add(once, 20'000);
    }
    EXPECT_TRUE(told.covers_at_least_95()) << told.covered();
    // The misfit of four degrees of freedom only ever widens, its variance by a quarter on average.
    EXPECT_LE(told.said_error(), 1.3 * told.seen_error());
    EXPECT_GE(told.said_error(), 0.95 * told.seen_error());
    EXPECT_LT(untold.said_error(), told.said_error());
    EXPECT_FALSE(untold.covers_at_least_95()) << untold.covered();
}

// One cohort, and cohorts of eight bits: shapes that other decoders stop at.
TEST(RapporShapes, CoverOneCohortAndEightBits) {
    generator random(13);
    for (const rappor_shape &shape : {rappor_shape{64, 2, 1}, rappor_shape{8, 1, 32}}) {
        const bloom_function bloom = bloom_of(shape);
        std::vector<held> fleet = {{"B737", 40'000}, {"A320", 20'000}};
        for (int i = 0; i < 200; ++i) {
            fleet.push_back({"rare" + std::to_string(i), 10});
        }
        const std::vector<std::string> names = {"B737", "A320", "C172"};
        trials seen[3];
        for (int i = 0; i < trials::count; ++i) {
            const std::vector<std::vector<cohort_count>> counts = {
                round_of(random, fleet, shape, {0.2, 0.8}, bloom)};
            const candidate_fit fit =
                estimate_rappor(counts, std::array{bit_channel{0.2, 0.8}}, shape, bloom, names);
            for (std::size_t k = 0; k < 3; ++k) {
                ASSERT_TRUE(fit.candidates[k].result);
                seen[k].add(*fit.candidates[k].result, k == 2 ? 0 : double(fleet[k].releases));
                EXPECT_GE(fit.candidates[k].nonnegative, 0);
            }
        }
        for (const trials &candidate : seen) {
            EXPECT_TRUE(candidate.covers_at_least_95())
                << candidate.covered() << " of k = " << shape.bits;
        }
    }
}

// One report more or less, in any bit of a cohort, moves a result by so much. All bits together
// move it by what `reach` says, in the cohort where that is most.
TEST(RapporReach, IsTheMostThatAReportCanDo) {
    generator random(14);
    const rappor_shape shape = {16, 2, 3};
    const bloom_function bloom = bloom_of(shape);
    const std::vector<held> fleet = {{"B737", 4000}, {"A320", 2000}, {"unheard-of", 1000}};
    const std::vector<std::string> names = {"B737", "A320", "C172"};
    std::vector<std::vector<cohort_count>> counts = {round_of(random, fleet, shape, google, bloom)};
    const auto fit = [&] { return estimate_rappor(counts, {&google, 1}, shape, bloom, names); };
    const candidate_fit before = fit();
    std::vector<double> most(names.size());
    for (cohort_count &cohort : counts[0]) {
        std::vector<double> here(names.size());
        for (std::uint64_t &ones : cohort.ones) {
            ++ones;
            const candidate_fit after = fit();
            --ones;
            for (std::size_t k = 0; k < names.size(); ++k) {
                here[k] += std::abs(after.candidates[k].result->value -
                                    before.candidates[k].result->value);
            }
        }
        for (std::size_t k = 0; k < names.size(); ++k) {
            most[k] = std::max(most[k], here[k]);
        }
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
        EXPECT_NEAR(before.candidates[k].reach, most[k], 1e-6 * most[k]) << names[k];
        EXPECT_GT(most[k], 1);
    }
}

TEST(RapporCollisions, AreNamed) {
    const rappor_shape shape = {8, 2, 2};
    const bloom_function bloom = [](const std::string &text, std::uint32_t cohort) {
        return text == "twin" || text == "twin too" ? std::vector<std::uint32_t>{0, 1}
               : text == "half a twin" && cohort == 0
                   ? std::vector<std::uint32_t>{0, 1}
                   : std::vector<std::uint32_t>{static_cast<std::uint32_t>(text.size() % 8)};
    };
    const std::string names[] = {"twin", "half a twin", "twin too", "cat"};
    const cohort_count full = {100, {50, 50, 0, 10, 0, 0, 0, 0}};
    const bit_channel none[] = {{0, 1}};
    const std::vector<std::vector<cohort_count>> both = {{full, full}};
    using groups = std::vector<std::vector<std::size_t>>;
    EXPECT_EQ(estimate_rappor(both, none, shape, bloom, names).collisions, (groups{{0, 2}}));
    // Without reports of the cohort that tells them apart, half a twin is one too.
    const std::vector<std::vector<cohort_count>> first = {{full, {0, {}}}};
    EXPECT_EQ(estimate_rappor(first, none, shape, bloom, names).collisions, (groups{{0, 1, 2}}));
}

} // namespace
} // namespace sotto::aggregator::test
