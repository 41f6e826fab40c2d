// SPDX-License-Identifier: Apache-2.0
// Strings of a known set, from the bits of simulated devices.
#include "aggregator/statistics/symmetric_inverse.hpp"
#include "rappor_fleet.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

const bit_channel google = rappor_channel(0.5, 0.5, 0.75);

// Nothing is noise and everybody holds a candidate: the counts come back as they are.
TEST(RapporEstimate, IsExactWithoutNoise) {
    generator random(1);
    const rappor_shape shape = {16, 2, 1};
    const bloom_function bloom = bloom_of(shape);
    const std::vector<held> fleet = {{"B737", 700}, {"A320", 200}, {"C172", 0}};
    const std::vector<std::vector<cohort_count>> counts = {
        round_of(random, fleet, shape, {0, 1}, bloom)};
    const bit_channel none[] = {{0, 1}};
    const std::string names[] = {"B737", "A320", "C172"};
    const candidate_fit found = estimate_rappor(counts, none, shape, bloom, names);
    ASSERT_EQ(found.candidates.size(), 3u);
    EXPECT_NEAR(found.candidates[0].result->value, 700, 1e-9);
    EXPECT_NEAR(found.candidates[1].result->value, 200, 1e-9);
    EXPECT_NEAR(found.candidates[2].result->value, 0, 1e-9);
    EXPECT_EQ(found.candidates[0].result->reports, 900u);
    EXPECT_LE(found.misfit, 1e-9);
}

// Two levels, eight cohorts, five candidates and among what is not known many rare strings.
TEST(RapporEstimate, CoversOverTwoLevels) {
    generator random(2);
    const rappor_shape shape = {32, 2, 8};
    const bloom_function bloom = bloom_of(shape);
    const bit_channel channels[] = {google, rappor_channel(0.25, 0.25, 0.75)};
    const std::vector<std::string> names = {"B737", "A320", "C172", "B747", "DH8"};
    std::vector<held> low = {
        {"B737", 9000}, {"A320", 4000}, {"C172", 2000}, {"B747", 0}, {"DH8", 0}};
    std::vector<held> high = {
        {"B737", 1000}, {"A320", 0}, {"C172", 3000}, {"B747", 0}, {"DH8", 500}};
    for (int i = 0; i < 200; ++i) {
        low.push_back({"rare" + std::to_string(i), 25});
    }
    const double truth[] = {10000, 4000, 5000, 0, 500};
    trials seen[5];
    double misfit = 0;
    for (int i = 0; i < trials::count; ++i) {
        const std::vector<std::vector<cohort_count>> counts = {
            round_of(random, low, shape, channels[0], bloom),
            round_of(random, high, shape, channels[1], bloom)};
        const candidate_fit found = estimate_rappor(counts, channels, shape, bloom, names);
        for (std::size_t k = 0; k < 5; ++k) {
            seen[k].add(*found.candidates[k].result, truth[k]);
        }
        misfit += found.misfit / trials::count;
        EXPECT_FALSE(found.strings_are_missing());
    }
    for (const trials &candidate : seen) {
        // The misfit only ever widens, and rare strings are not spread quite evenly over the bits.
        EXPECT_TRUE(candidate.covers_at_least_95()) << candidate.covered();
        EXPECT_LE(candidate.said_error(), 1.1 * candidate.seen_error());
        EXPECT_GE(candidate.said_error(), 0.95 * candidate.seen_error());
    }
    EXPECT_NEAR(misfit, 1, 0.1);
}

// With nearly no noise in the bits, what is left is which cohort a release fell into: the interval
// must hold that too.
TEST(RapporEstimate, CoversTheCohortsChance) {
    generator random(3);
    const rappor_shape shape = {8, 2, 2};
    const bloom_function bloom = bloom_of(shape);
    const bit_channel channels[] = {{0.001, 0.999}};
    const std::vector<held> fleet = {{"B737", 4000}, {"A320", 2000}, {"C172", 1000}, {"DH8", 300}};
    const std::vector<std::string> names = {"B737", "A320", "C172", "DH8"};
    trials seen[4];
    for (int i = 0; i < trials::count; ++i) {
        const std::vector<std::vector<cohort_count>> counts = {
            round_of(random, fleet, shape, channels[0], bloom)};
        const candidate_fit found = estimate_rappor(counts, channels, shape, bloom, names);
        for (std::size_t k = 0; k < 4; ++k) {
            seen[k].add(*found.candidates[k].result, static_cast<double>(fleet[k].releases));
        }
    }
    for (const trials &candidate : seen) {
        EXPECT_TRUE(candidate.covers_at_least_95()) << candidate.covered();
        EXPECT_TRUE(candidate.unbiased());
        // The misfit, of 11 degrees of freedom, widens by 11 % on average.
        EXPECT_LE(candidate.said_error(), 1.2 * candidate.seen_error());
        EXPECT_GE(candidate.said_error(), 0.95 * candidate.seen_error());
    }
}

// 20 of 100 candidates are there. On average at most 5 % of the detected ones are not there.
TEST(RapporEstimate, DetectsWhatIsThere) {
    generator random(4);
    const rappor_shape shape = {64, 2, 16};
    const bloom_function bloom = bloom_of(shape);
    std::vector<held> fleet;
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i) {
        names.push_back("name" + std::to_string(i));
        fleet.push_back({names.back(), i < 20 ? 10'000u : 0u});
    }
    int right = 0, wrong = 0;
    double false_share = 0;
    constexpr int rounds = 50;
    for (int i = 0; i < rounds; ++i) {
        const std::vector<std::vector<cohort_count>> counts = {
            round_of(random, fleet, shape, google, bloom)};
        const candidate_fit found = estimate_rappor(counts, {&google, 1}, shape, bloom, names);
        int here = 0, not_here = 0;
        for (std::size_t k = 0; k < names.size(); ++k) {
            (k < 20 ? here : not_here) += found.candidates[k].detected ? 1 : 0;
        }
        right += here;
        wrong += not_here;
        false_share += static_cast<double>(not_here) / std::max(1, here + not_here) / rounds;
    }
    EXPECT_GE(right, 20 * rounds * 9 / 10);
    // A share of false ones of 4 % on average, with a standard deviation below 5 % in a round.
    EXPECT_LE(false_share, 0.04 + 6.2 * 0.05 / std::sqrt(rounds)) << wrong;
}

// A frequent string that is not among the candidates: the fit says that something is missing, and
// what is known is still covered.
TEST(RapporEstimate, SaysThatAFrequentStringIsMissing) {
    generator random(5);
    const rappor_shape shape = {32, 2, 8};
    const bloom_function bloom = bloom_of(shape);
    const std::vector<held> fleet = {{"B737", 20000}, {"unheard-of", 30000}};
    const std::string names[] = {"B737", "A320"};
    const std::vector<std::vector<cohort_count>> counts = {
        round_of(random, fleet, shape, google, bloom)};
    const candidate_fit found = estimate_rappor(counts, {&google, 1}, shape, bloom, names);
    EXPECT_GT(found.misfit, 3);
    EXPECT_TRUE(found.strings_are_missing());
    EXPECT_LE(found.candidates[0].result->ci_low(), 20000);
    EXPECT_GE(found.candidates[0].result->ci_high(), 20000);
    EXPECT_TRUE(found.candidates[0].detected);
}

// A gamma law of shape 4 is an Erlang one, of four terms.
TEST(SkewTail, ByHand) {
    const double of_ten = std::exp(-10.0) * (1 + 10 + 50 + 1000 / 6.0);
    EXPECT_NEAR(skew_upper_tail(3, 1) / of_ten, 1, 0.02);
    EXPECT_NEAR(skew_upper_tail(-3, 1), 1, 1e-8);
    EXPECT_EQ(skew_upper_tail(3, 0), normal_upper_tail(3));
    EXPECT_EQ(skew_upper_tail(3, -1), normal_upper_tail(3));
    EXPECT_NEAR(skew_upper_tail(3, 1e-3) / normal_upper_tail(3), 1.0044, 1e-4); // Edgeworth
    EXPECT_LT(skew_upper_tail(60, 0.2), 1e-50);
    EXPECT_TRUE(std::isnan(skew_upper_tail(std::nan(""), 1)));
}

TEST(StudentsT, ByTable) {
    EXPECT_NEAR(t_upper_point(0.025, 1), 12.7062, 1e-4);
    EXPECT_NEAR(t_upper_point(0.025, 11), 2.20099, 1e-5);
    EXPECT_NEAR(t_upper_tail(2.20099, 11), 0.025, 1e-6);
    EXPECT_NEAR(t_upper_tail(-1, 1), 0.75, 1e-12);
    EXPECT_NEAR(t_upper_point(1e-4, 1e9), normal_upper_point(1e-4), 1e-6);
    EXPECT_TRUE(std::isnan(t_upper_tail(std::nan(""), 3)));
}

// Sixteen equations for nine unknowns. 40 % of the releases hold a string that nobody listed, whose
// bits are others in every round. So the misfit is known badly. 93 % hold, as some of the strings
// have the bits of the unlisted one; of intervals of a normal law 90 %.
TEST(RapporEstimate, CoversWhereFewBitsMustSayWhatIsMissing) {
    generator random(6);
    const rappor_shape shape = {8, 1, 2};
    const bit_channel channel = rappor_channel(0.25, 0.25, 0.75);
    const std::vector<held> fleet = {{"0", 1600}, {"1", 900}, {"2", 500}, {"8", 2000}};
    const std::vector<std::string> names = {"0", "1", "2", "3", "4", "5", "6", "7"};
    int intervals = 0, covered = 0, covered_as_normal = 0;
    for (int round = 0; round < 2000; ++round) {
        std::uint32_t bits[9][2];
        for (auto &string : bits) {
            for (std::uint32_t &bit : string) {
                bit = static_cast<std::uint32_t>(random() % 8);
            }
        }
        const bloom_function bloom = [&](const std::string &text, std::uint32_t cohort) {
            return std::vector<std::uint32_t>{bits[text[0] - '0'][cohort]};
        };
        const std::vector<std::vector<cohort_count>> counts = {
            round_of(random, fleet, shape, channel, bloom)};
        const candidate_fit found = estimate_rappor(counts, {&channel, 1}, shape, bloom, names);
        for (std::size_t k = 0; k < names.size(); ++k) {
            if (const auto &result = found.candidates[k].result) {
                const double off =
                    result->value - (k < 3 ? static_cast<double>(fleet[k].releases) : 0);
                ++intervals;
                covered += std::abs(off) <= result->half_width() ? 1 : 0;
                covered_as_normal += std::abs(off) <= normal_95 * result->std_error ? 1 : 0;
            }
        }
    }
    EXPECT_GE(covered, 0.915 * intervals) << intervals;
    EXPECT_LT(covered_as_normal, 0.915 * intervals) << covered_as_normal;
}

// 20 devices that hold none of 60 candidates: noise is a few bits each, and skew. A string is found
// in one of twenty fleets; by the normal law in one of four.
TEST(RapporEstimate, DetectsLittleThatIsNotThereInFewReports) {
    generator random(10);
    const rappor_shape shape = {32, 1, 16};
    const bloom_function bloom = bloom_of(shape);
    const bit_channel channel = {0.1, 0.9};
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) {
        names.push_back("name" + std::to_string(i));
    }
    std::vector<held> fleet;
    for (int i = 0; i < 20; ++i) {
        fleet.push_back({"other" + std::to_string(i), 1});
    }
    int any = 0;
    for (int round = 0; round < 300; ++round) {
        const std::vector<std::vector<cohort_count>> counts = {
            round_of(random, fleet, shape, channel, bloom)};
        const candidate_fit found = estimate_rappor(counts, {&channel, 1}, shape, bloom, names);
        any += std::ranges::any_of(found.candidates, &candidate_estimate::detected) ? 1 : 0;
    }
    EXPECT_LE(any, 50); // at 6 % more with a probability of 2e-11
    fleet = {{names[0], 200}};
    const std::vector<std::vector<cohort_count>> counts = {
        round_of(random, fleet, shape, channel, bloom)};
    EXPECT_TRUE(estimate_rappor(counts, {&channel, 1}, shape, bloom, names).candidates[0].detected);
}

// Strings with the same bits in every cohort: no number for them, and the others keep theirs.
TEST(RapporEstimate, LeavesOutWhatCanNotBeToldApart) {
    const rappor_shape shape = {8, 2, 1};
    const bloom_function bloom = [](const std::string &text, std::uint32_t) {
        return text == "other" ? std::vector<std::uint32_t>{4} : std::vector<std::uint32_t>{0, 1};
    };
    const std::string names[] = {"twin", "other", "twin too"};
    const std::vector<std::vector<cohort_count>> counts = {{{100, {50, 50, 0, 0, 30, 0, 0, 0}}}};
    const bit_channel none[] = {{0, 1}};
    const candidate_fit found = estimate_rappor(counts, none, shape, bloom, names);
    EXPECT_FALSE(found.candidates[0].result);
    EXPECT_FALSE(found.candidates[2].result);
    ASSERT_TRUE(found.candidates[1].result);
    EXPECT_NEAR(found.candidates[1].result->value, 30, 1e-9);
    // No reports at all tell nothing of anything.
    const std::vector<std::vector<cohort_count>> nothing = {{{0, {}}}};
    for (const auto &c : estimate_rappor(nothing, none, shape, bloom, names).candidates) {
        EXPECT_FALSE(c.result || c.detected);
    }
}

// Every way in which six candidates can share eight bits is tried. It holds whichever row of
// the equations is found to add nothing, and were it the last one, exactly.
TEST(RapporEstimate, LeavesOutTwinsWhereverTheyAre) {
    generator random(6);
    const rappor_shape shape = {8, 1, 1};
    const bit_channel channel = rappor_channel(0.25, 0.25, 0.75);
    const std::string names[] = {"0", "1", "2", "3", "4", "5"};
    int left_out = 0;
    for (int round = 0; round < 500; ++round) {
        std::uint32_t at[6], sharing[8] = {};
        for (std::uint32_t &bit : at) {
            bit = static_cast<std::uint32_t>(random() % 8);
            ++sharing[bit];
        }
        const bloom_function bloom = [&](const std::string &text, std::uint32_t) {
            return std::vector<std::uint32_t>{at[text[0] - '0']};
        };
        const std::vector<held> fleet = {{"0", 150}, {"1", 75}, {"2", 50}, {"3", 25}};
        const std::vector<std::vector<cohort_count>> counts = {
            round_of(random, fleet, shape, channel, bloom)};
        const candidate_fit found = estimate_rappor(counts, {&channel, 1}, shape, bloom, names);
        for (std::size_t k = 0; k < 6; ++k) {
            const candidate_estimate &candidate = found.candidates[k];
            ASSERT_EQ(candidate.result.has_value(), sharing[at[k]] == 1) << round << " of " << k;
            EXPECT_TRUE(candidate.result || !candidate.detected);
            EXPECT_TRUE(!candidate.result || candidate.result->std_error > 10)
                << round << " of " << k;
            left_out += candidate.result ? 0 : 1;
        }
    }
    EXPECT_GT(left_out, 500);
}

// Nearly alike is not alike: what few reports tell apart has a number, with an interval to match.
TEST(SymmetricInverse, KeepsWhatIsNearlyAlikeAndLeavesOutWhatIs) {
    Eigen::Matrix3d normal;
    normal << 1, 0.5, 0.5, 0.5, 1, 1, 0.5, 1, 1;
    const symmetric_inverse none = invert_symmetric(normal);
    EXPECT_EQ(none.rank, 2);
    EXPECT_EQ(none.determined, (std::vector<bool>{true, false, false}));
    EXPECT_NEAR(none.matrix(0, 0), 4 / 3.0, 1e-9);
    for (const double apart : {1e-3, 1e-5, 1e-7, 1e-9}) {
        normal(1, 2) = normal(2, 1) = 1 - apart;
        const symmetric_inverse some = invert_symmetric(normal);
        EXPECT_EQ(some.rank, 3);
        EXPECT_EQ(some.determined, (std::vector<bool>{true, true, true}));
        EXPECT_NEAR(some.matrix(2, 2) * 2 * apart, 1, 0.01) << apart;
    }
    normal(1, 2) = normal(2, 1) = 1 - 1e-13;
    EXPECT_EQ(invert_symmetric(normal).rank, 2);
}

} // namespace
} // namespace sotto::aggregator::test
