// SPDX-License-Identifier: Apache-2.0
// Reports that honest devices can't have sent, the power of dishonest ones, and epochs in one.
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/estimate/quality.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "support.hpp"
#include "trials.hpp"

#include "sotto/registry.h"

#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

const registry &every() {
    static const registry known = parse_registry(every_type_text(), "M.json");
    return known;
}

// A tally of one level and cohort with these counts.
metric_tally tally_of(const metric &m, std::uint64_t reports,
                      const std::vector<std::uint64_t> &ones) {
    metric_tally tally = empty_tally(m);
    tally[0].reports = reports;
    if (!tally[0].cohorts.empty()) {
        tally[0].cohorts[0] = reports;
    }
    std::copy(ones.begin(), ones.end(), tally[0].ones.begin());
    return tally;
}

const metric &by_kind(std::uint8_t type, value_kind kind) {
    for (const metric &m : every().metrics) {
        if (m.type == type && m.kind() == kind) {
            return m;
        }
    }
    throw std::logic_error("no such metric");
}

// The extremes of what can be true pass; a little further does not.
TEST(Quality, KnowsImpossibleRates) {
    const metric &boolean = by_kind(SOTTO_TYPE_BOOLEAN, value_kind::index);
    const double flip = flip_of(boolean.law(0)), n = 1e6,
                 deviation = std::sqrt(n * flip * (1 - flip));
    const auto impossible = [&](double ones) {
        const auto count = static_cast<std::uint64_t>(ones);
        return check_quality(boolean, tally_of(boolean, 1'000'000, {1'000'000 - count, count}))
            .impossible;
    };
    EXPECT_EQ(impossible(n * flip), 0u);
    EXPECT_EQ(impossible(n * (1 - flip) + 7 * deviation), 0u);
    EXPECT_EQ(impossible(n * (1 - flip) + 8 * deviation), 1u);
    EXPECT_EQ(impossible(n * flip - 8 * deviation), 1u);
}

// Means at either end pass, a little beyond they don't; few reports may be far off.
TEST(Quality, KnowsImpossibleMeans) {
    const metric &speed = *every().find("speed");
    const auto &table = std::get<discrete_laplace_table>(speed.table);
    const double b = 1 / unit_epsilon_of(speed.law(0));
    const auto impossible = [&](double n, double mean) {
        metric_tally tally = empty_tally(speed);
        tally[0].reports = tally[0].numbers[0].reports = static_cast<std::uint64_t>(n);
        tally[0].numbers[0].sum = static_cast<std::int64_t>(n * mean);
        const quality found = check_quality(speed, tally);
        EXPECT_EQ(found.counts, 1u);
        return found.impossible;
    };
    EXPECT_EQ(impossible(1e4, table.max), 0u);
    EXPECT_EQ(impossible(1e4, table.min), 0u);
    EXPECT_EQ(impossible(1e4, table.max + 7 * b * std::sqrt(2) / 100), 0u);
    EXPECT_EQ(impossible(1e4, table.max + 9 * b * std::sqrt(2) / 100), 1u);
    EXPECT_EQ(impossible(1e4, table.min - 9 * b * std::sqrt(2) / 100), 1u);
    EXPECT_EQ(impossible(1, table.max + 25 * b), 0u); // Laplace noise is that large at times
    EXPECT_EQ(impossible(1, table.max + 45 * b), 1u);

    const metric &height = *every().find("height");
    const double flip = flip_of(height.law(0)), deviation = std::sqrt(1e4 * flip * (1 - flip));
    const auto impossible_bits = [&](double ones) {
        const auto count = static_cast<std::uint64_t>(ones);
        return check_quality(height, tally_of(height, 10'000, {10'000 - count, count})).impossible;
    };
    EXPECT_EQ(impossible_bits(1e4 * (1 - flip) + 7 * deviation), 0u);
    EXPECT_EQ(impossible_bits(1e4 * (1 - flip) + 8 * deviation), 1u);
    EXPECT_EQ(impossible_bits(1e4 * flip - 8 * deviation), 1u);
}

// Every bit of a unary category may be what it is, and all together may not.
TEST(Quality, KnowsWhatCategoriesAddUpTo) {
    const metric &phase = by_kind(SOTTO_TYPE_CATEGORY, value_kind::bits);
    const double zero = std::get<bit_channel>(phase.law(0)).one_if_zero,
                 if_one = std::get<bit_channel>(phase.law(0)).one_if_one, n = 100'000;
    std::vector<std::uint64_t> ones(phase.value_size(), static_cast<std::uint64_t>(n * zero));
    ones[0] = static_cast<std::uint64_t>(n * if_one);
    const quality good = check_quality(phase, tally_of(phase, 100'000, ones));
    EXPECT_FALSE(good.sum_is_impossible()) << *good.sum_error;
    EXPECT_EQ(good.impossible, 0u);
    EXPECT_EQ(good.counts, phase.value_size());
    ones[1] = ones[0];
    const quality bad = check_quality(phase, tally_of(phase, 100'000, ones));
    EXPECT_TRUE(bad.sum_is_impossible()) << *bad.sum_error;
    EXPECT_EQ(bad.impossible, 0u);
}

// A coalition that does its worst moves the estimate by no more than is said, and nearly by that.
TEST(Coalition, MovesAnEstimateThatFar) {
    for (const metric &m : every().metrics) {
        metric_tally honest = empty_tally(m), worst = honest, best = honest;
        const auto bytes = [&](bool high) {
            std::vector<std::uint8_t> value(m.value_bytes(), high ? 0xff : 0);
            if (m.kind() == value_kind::index) {
                value.back() = high ? 1 : 0;
                std::fill(value.begin(), value.end() - 1, 0);
            } else if (const auto *laplace = std::get_if<discrete_laplace_table>(&m.table)) {
                const auto y =
                    static_cast<std::uint32_t>(high ? laplace->publish_max : laplace->publish_min);
                for (std::size_t i = 0; i < value.size() / 4; ++i) {
                    put_big_endian(&value[4 * i], y);
                }
            } else if (m.value_size() % 8 != 0) {
                value.back() =
                    static_cast<std::uint8_t>(value.back() & ((1u << m.value_size() % 8) - 1));
            }
            return value;
        };
        for (int i = 0; i < 100; ++i) {
            const auto low = bytes(false), high = bytes(true);
            ASSERT_TRUE(count_release(worst, m, 0, 0, i < 10 ? high : low)) << m.name;
            ASSERT_TRUE(count_release(best, m, 0, 0, low));
        }
        if (has_strings(m)) {
            continue;
        }
        decode_options options;
        options.coalition = 10;
        const auto moved = estimate_metric(m, 0, worst, options).rows;
        const auto before = estimate_metric(m, 0, best, options).rows;
        const std::size_t at = m.kind() == value_kind::index && moved.size() > 1 ? 1 : 0;
        const double shift = moved[at].result.value - before[at].result.value;
        EXPECT_NEAR(shift, moved[at].coalition->shift, 1e-6 * shift) << m.name;
    }
}

// Ten releases pretend to have been selected, in every way that there is. They move the estimate
// further than if they could not, and no further than is said.
TEST(Coalition, IsBoundedWhereReleasesAreSelected) {
    metric m;
    m.type = SOTTO_TYPE_BOOLEAN;
    m.table = randomized_response_table();
    for (const double epsilon : {0.5, 0.6, 4.0}) {
        m.levels.emplace_back().law = flip_law{1 / (1 + std::exp(epsilon))};
    }
    m.costs.resize(3);
    const double flip = flip_of(m.levels[0].law);
    const auto ones = static_cast<std::uint64_t>(1500 * (1 - flip) + 3500 * flip);
    const metric_tally honest = tally_of(m, 5000, {5000 - ones, ones});
    decode_options options;
    options.coalition = 10;
    const estimate_row before = estimate_metric(m, 0, honest, options).rows[0];
    double furthest = 0;
    for (const std::uint32_t level : {1u, 2u}) {
        for (const std::uint32_t first : {0u, 1u}) {
            for (const std::uint32_t last : {0u, 1u}) {
                metric_tally forged = honest;
                forged[0].reports -= 10;
                forged[0].ones[first] -= 10;
                forged[level].reports = forged[level].ones[last] = 10;
                options.selected = {{0, first, level, last, 10}};
                const estimate_row after = estimate_metric(m, 0, forged, options).rows[0];
                const double shift = std::abs(after.result.value - before.result.value);
                EXPECT_LE(shift, after.coalition->shift) << level << first << last;
                furthest = std::max(furthest, shift);
            }
        }
    }
    EXPECT_GT(furthest, before.coalition->shift); // the bound without selection
}

// Epochs of 10, 10 and 4 reports: at most (10 + 10 + 4 + 2 (10 + 4 + 4)) / 24.
TEST(PooledEpochs, AddUpAndSayHowOftenADeviceCanBeThere) {
    const metric &boolean = by_kind(SOTTO_TYPE_BOOLEAN, value_kind::index);
    epoch_pool pool;
    pool.add(tally_of(boolean, 10, {4, 6}));
    pool.add(tally_of(boolean, 4, {0, 4}));
    pool.add(tally_of(boolean, 10, {7, 3}));
    const pooled_epochs pooled = pool.finish();
    EXPECT_EQ(pooled.tally[0].reports, 24u);
    EXPECT_EQ(pooled.tally[0].ones, (std::vector<std::uint64_t>{11, 13}));
    EXPECT_DOUBLE_EQ(pooled.of_a_value, (24.0 + 36) / 24);
    EXPECT_EQ(epoch_pool().finish().of_a_value, 1);
}

// One-hot RAPPOR of devices that say the same in ten epochs: told so, the interval holds.
TEST(PooledEpochs, AllowForPermanentBits) {
    generator random(4);
    const metric &species = *every().find("species");
    const double flip = permanent_flip_of(species.law(0)), kept = 1 - flip;
    const double gain = (std::get<permanent_law>(species.law(0)).one_if_one -
                         std::get<permanent_law>(species.law(0)).one_if_zero) /
                        (kept - flip);
    // q and p of the instantaneous noise, from the two together.
    const double q = std::get<permanent_law>(species.law(0)).one_if_one + gain * flip, p = q - gain;
    trials told, untold;
    for (int i = 0; i < trials::count; ++i) {
        const std::uint64_t held = 200, devices = 1000, epochs = 10;
        const std::uint64_t permanent =
            binomial(random, held, kept) + binomial(random, devices - held, flip);
        const std::uint64_t ones = binomial(random, epochs * permanent, q) +
                                   binomial(random, epochs * (devices - permanent), p);
        const metric_tally tally = tally_of(species, epochs * devices, {ones});
        decode_options options;
        untold.add(estimate_metric(species, {}, tally, options).rows[0].result, 2000);
        options.of_a_value = 10;
        told.add(estimate_metric(species, {}, tally, options).rows[0].result, 2000);
    }
    EXPECT_TRUE(told.covers_95()) << told.covered();
    EXPECT_TRUE(told.agrees_with(told.said_error()));
    EXPECT_FALSE(untold.covers_95()) << untold.covered();
}

} // namespace
} // namespace sotto::aggregator::test
