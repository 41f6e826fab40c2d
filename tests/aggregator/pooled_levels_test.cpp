// SPDX-License-Identifier: Apache-2.0
// Fleets with some releases relaxed. Levels are weighted by what they can tell, for every type.
// They are added up where they tell of different values.
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/level_weights.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/statistics/pooled_levels.hpp"
#include "rappor_fleet.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

constexpr std::size_t low_releases = 250, all_releases = 400;

metric ladder_of(int type, mechanism_table table, const level_law &low, const level_law &high) {
    metric m;
    m.name = "m";
    m.type = static_cast<std::uint8_t>(type);
    m.table = std::move(table);
    for (const level_law &law : {low, high}) {
        ladder_level level;
        level.realised.value = 1 + static_cast<double>(m.levels.size());
        level.law = law;
        m.levels.push_back(level);
        m.costs.push_back(static_cast<std::uint32_t>(m.levels.size()) << 20);
    }
    return m;
}

// Devices, how many of them are at the low level, and epochs. Each epoch has a report of each
// device, as `decode_options` say. They stay at their level, and say the same.
struct fleet_size {
    std::size_t low = low_releases, total = all_releases, epochs = 1;
};

// How often the row `at` was right over so many fleets, pooled and added up. `publish` adds the
// value of release i to a level of a tally. `is_low` says which releases are at the low level, in
// random order.
struct outcome {
    trials pooled, added;
    int differ = 0, wider = 0;
};

outcome outcome_of(const metric &m, double truth, std::size_t at, const auto &publish,
                   bool by_value = false, const fleet_size &fleet = {}, double told_epochs = 1) {
    generator random(fleet.total + at + m.type);
    outcome out;
    decode_options options;
    options.of_a_value = told_epochs;
    std::vector<std::size_t> order(fleet.total);
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    for (int round = 0; round < trials::count; ++round) {
        if (!by_value) {
            std::shuffle(order.begin(), order.end(), random);
        }
        metric_tally tally = empty_tally(m);
        for (std::size_t i = 0; i < fleet.epochs * fleet.total; ++i) {
            const std::size_t device = i % fleet.total;
            level_tally &level = tally[device < fleet.low ? 0 : 1];
            ++level.reports;
            publish(random, level, device < fleet.low ? 0 : 1, order[device]);
        }
        const metric_estimate found = estimate_metric(m, 0, tally, options);
        const estimate_row &row = found.rows[at];
        const estimated &pooled = row.pooled ? *row.pooled : row.result;
        EXPECT_NE(row.pooled.has_value(), found.levels_differ);
        out.pooled.add(pooled, truth);
        out.added.add(row.result, truth);
        out.differ += found.levels_differ ? 1 : 0;
        out.wider += pooled.std_error > 1.001 * row.result.std_error ? 1 : 0;
    }
    return out;
}

// Noise of numbers is heavier in its tails than the normal law that the alarm goes by.
void expect_pooled(const outcome &seen) {
    EXPECT_TRUE(seen.pooled.covers_at_least_95()) << seen.pooled.covered();
    EXPECT_TRUE(seen.pooled.unbiased());
    EXPECT_TRUE(seen.pooled.agrees_with(seen.pooled.said_error()));
    EXPECT_LT(seen.pooled.said_error(), 0.8 * seen.added.said_error());
    EXPECT_EQ(seen.wider, 0);
    EXPECT_LE(seen.differ, 17); // once in 1,000: more than 17 of 2,000 with a probability of 2e-11
    EXPECT_TRUE(seen.added.covers_at_least_95()) << seen.added.covered();
}

// Says what it is with `keep`, and else what chance says.
std::uint32_t k_ary(generator &random, std::uint32_t value, std::uint32_t size, double keep) {
    return binomial(random, 1, keep) == 1 ? value : static_cast<std::uint32_t>(random() % size);
}

const flip_law flips[] = {{0.35}, {0.1}};
const auto publish_boolean = [](generator &random, level_tally &tally, std::size_t level,
                                std::size_t i) {
    ++tally.ones[k_ary(random, i < 120 ? 1 : 0, 2, 1 - 2 * flips[level].flip)];
};

TEST(PooledLevels, OfBooleans) {
    const metric m = ladder_of(SOTTO_TYPE_BOOLEAN, randomized_response_table(), flips[0], flips[1]);
    const outcome seen = outcome_of(m, 120, 0, publish_boolean);
    expect_pooled(seen);
    EXPECT_TRUE(seen.pooled.covers_95()) << seen.pooled.covered();
    // By hand: 7 / 36 of noise and 1/4 at flip 0.1 ... see level_weights.
    metric_tally tally = empty_tally(m);
    tally[0].reports = 3;
    tally[1].reports = 1;
    const double low = 3 / (0.35 * 0.65 / 0.09 + 0.25), high = 1 / (0.09 / 0.64 + 0.25);
    EXPECT_NEAR(level_weights(m, tally)[0], low / (low + high), 1e-12);
}

// True releases are the ones at the high level: the remark says so, and levels are added up.
TEST(PooledLevels, AreAddedUpWhereTheyTellOfDifferentValues) {
    const metric m = ladder_of(SOTTO_TYPE_BOOLEAN, randomized_response_table(), flips[0], flips[1]);
    const outcome seen = outcome_of(
        m, 120, 0,
        [](generator &random, level_tally &tally, std::size_t level, std::size_t i) {
            publish_boolean(random, tally, level, all_releases - 1 - i);
        },
        true);
    EXPECT_GE(seen.differ, 1990);
    EXPECT_TRUE(seen.pooled.covers_95()) << seen.pooled.covered();
}

TEST(PooledLevels, OfCategories) {
    k_randomized_response_table table;
    table.size = 5;
    const keep_law laws[] = {{0.3}, {0.7}};
    const metric m = ladder_of(SOTTO_TYPE_CATEGORY, table, laws[0], laws[1]);
    const auto publish = [&](generator &random, level_tally &tally, std::size_t level,
                             std::size_t i) {
        ++tally.ones[k_ary(random, i < 40 ? 3 : i % 2, 5, laws[level].keep)];
    };
    expect_pooled(outcome_of(m, 40, 3, publish));
    expect_pooled(outcome_of(m, 180, 0, publish));
}

TEST(PooledLevels, OfSets) {
    unary_table table;
    table.size = 3;
    table.max_members = 2;
    const bit_channel laws[] = {{0.3, 0.5}, {0.1, 0.6}};
    const metric m = ladder_of(SOTTO_TYPE_SET, table, laws[0], laws[1]);
    expect_pooled(outcome_of(
        m, 60, 1, [&](generator &random, level_tally &tally, std::size_t level, std::size_t i) {
            const bool has[] = {i % 2 == 0, i < 60, false};
            for (std::size_t k = 0; k < 3; ++k) {
                tally.ones[k] +=
                    binomial(random, 1, has[k] ? laws[level].one_if_one : laws[level].one_if_zero);
            }
        }));
}

TEST(PooledLevels, OfNumbers) {
    discrete_laplace_table table;
    table.max = table.publish_max = 10;
    table.length = 2;
    const number_law laws[] = {{0.05, 0}, {0.2, 0}};
    const metric m = ladder_of(SOTTO_TYPE_VECTOR, table, laws[0], laws[1]);
    expect_pooled(outcome_of(
        m, 4.5, 1, [&](generator &random, level_tally &tally, std::size_t level, std::size_t i) {
            for (std::size_t k = 0; k < 2; ++k) {
                const auto truth = static_cast<std::int64_t>(k == 1 ? i % 10 : 3);
                const std::int64_t noised = truth + laplace(random, laws[level].unit_epsilon);
                tally.numbers[k].add(
                    static_cast<std::int32_t>(std::clamp<std::int64_t>(noised, 0, 10)), 0, 10);
            }
        }));
}

TEST(PooledLevels, OfMeansByOneBit) {
    one_bit_mean_table table;
    table.max = 16;
    table.scale = 1u << 28;
    const metric m = ladder_of(SOTTO_TYPE_MEAN, table, flips[0], flips[1]);
    expect_pooled(outcome_of(
        m, 4.5, 0, [](generator &random, level_tally &tally, std::size_t level, std::size_t i) {
            const double rounded = static_cast<double>(i % 10) / 16;
            const auto bit = static_cast<std::uint32_t>(binomial(random, 1, rounded));
            ++tally.ones[k_ary(random, bit, 2, 1 - 2 * flips[level].flip)];
        }));
}

// 100 devices in eight epochs, which never change their level: it is they who are at it, not their
// reports. Told how often each is there, it holds.
void expect_pooled_over_epochs(const metric &m, double truth, const auto &publish) {
    const fleet_size fleet = {62, 100, 8};
    const outcome told = outcome_of(m, truth, 0, publish, false, fleet, 8);
    EXPECT_TRUE(told.pooled.covers_at_least_95()) << told.pooled.covered();
    EXPECT_TRUE(told.pooled.unbiased());
    EXPECT_GE(told.pooled.said_error(), 0.95 * told.pooled.seen_error());
    EXPECT_LT(told.pooled.said_error(), 0.9 * told.added.said_error());
    EXPECT_LE(told.differ, 17);
    const outcome untold = outcome_of(m, truth, 0, publish, false, fleet);
    EXPECT_FALSE(untold.pooled.covers_at_least_95()) << untold.pooled.covered();
    EXPECT_GT(untold.differ, 17);
}

TEST(PooledLevels, OfDevicesThatStayAtTheirs) {
    metric m = ladder_of(SOTTO_TYPE_BOOLEAN, randomized_response_table(), flips[0], flips[1]);
    expect_pooled_over_epochs(m, 8 * 30,
                              [](generator &random, level_tally &tally, std::size_t level,
                                 std::size_t i) { publish_boolean(random, tally, level, 4 * i); });
    // As often in one epoch, or in eight: the same.
    metric_tally tally = empty_tally(m);
    tally[0] = {50, {20, 30}, {}, {}, {}};
    tally[1] = {40, {25, 15}, {}, {}, {}};
    decode_options options;
    options.of_a_value = 8;
    const double in_eight = estimate_metric(m, 0, tally, options).rows[0].pooled->std_error;
    m.per_epoch = 8;
    EXPECT_EQ(estimate_metric(m, 0, tally).rows[0].pooled->std_error, in_eight);
}

TEST(PooledLevels, OfNumbersThatStayAtTheirs) {
    discrete_laplace_table table;
    table.max = table.publish_max = 10;
    const number_law laws[] = {{0.07, 0}, {0.5, 0}};
    expect_pooled_over_epochs(
        ladder_of(SOTTO_TYPE_INTEGER, table, laws[0], laws[1]), 5,
        [&](generator &random, level_tally &tally, std::size_t level, std::size_t i) {
            const std::int64_t noised =
                (i % 2 == 0 ? 0 : 10) + laplace(random, laws[level].unit_epsilon);
            tally.numbers[0].add(static_cast<std::int32_t>(std::clamp<std::int64_t>(noised, 0, 10)),
                                 0, 10);
        });
}

TEST(PooledLevels, OfMeansThatStayAtTheirs) {
    one_bit_mean_table table;
    table.max = 16;
    table.scale = 1u << 28;
    expect_pooled_over_epochs(
        ladder_of(SOTTO_TYPE_MEAN, table, flips[0], flips[1]), 8,
        [](generator &random, level_tally &tally, std::size_t level, std::size_t i) {
            const auto bit = static_cast<std::uint32_t>(i % 2);
            ++tally.ones[k_ary(random, bit, 2, 1 - 2 * flips[level].flip)];
        });
}

// 32 bits in eight cohorts; a fifth of the strings are no candidates.
TEST(PooledLevels, OfStrings) {
    generator random(21);
    const rappor_shape shape = {32, 2, 8};
    const bloom_function bloom = bloom_of(shape);
    const bit_channel channels[] = {rappor_channel(0.5, 0.5, 0.75),
                                    rappor_channel(0.25, 0.25, 0.75)};
    const std::vector<std::string> names = {"B737", "A320", "C172"};
    std::vector<held> fleet = {{"B737", 6000}, {"A320", 2000}, {"C172", 0}};
    for (int i = 0; i < 100; ++i) {
        fleet.push_back({"rare" + std::to_string(i), 20});
    }
    trials pooled[3], added[3];
    int differ = 0;
    for (int round = 0; round < trials::count; ++round) {
        std::vector<held> low = fleet, high = fleet;
        for (std::size_t i = 0; i < fleet.size(); ++i) {
            low[i].releases = binomial(random, fleet[i].releases, 0.7);
            high[i].releases -= low[i].releases;
        }
        const std::vector<std::vector<cohort_count>> counts = {
            round_of(random, low, shape, channels[0], bloom),
            round_of(random, high, shape, channels[1], bloom)};
        const candidate_fit found = estimate_rappor(counts, channels, shape, bloom, names);
        differ += found.levels_differ ? 1 : 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const candidate_estimate &candidate = found.candidates[k];
            const double truth = static_cast<double>(fleet[k].releases);
            pooled[k].add(candidate.pooled ? *candidate.pooled : *candidate.result, truth);
            added[k].add(*candidate.result, truth);
        }
    }
    EXPECT_LE(differ, 17);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_TRUE(pooled[k].covers_at_least_95()) << pooled[k].covered();
        EXPECT_TRUE(pooled[k].unbiased());
        EXPECT_GE(pooled[k].said_error(), 0.95 * pooled[k].seen_error());
        EXPECT_LT(pooled[k].said_error(), 0.8 * added[k].said_error());
    }
}

} // namespace
} // namespace sotto::aggregator::test
