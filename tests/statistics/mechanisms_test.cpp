// SPDX-License-Identifier: Apache-2.0
// The laws of bits and categories through the whole client: marginals, the joint law of levels, and
// independence between bits and between successive reports.
#include "fleet.hpp"

SOTTO_TEST_PROGRAM();

using namespace sotto::test;

namespace {

// Counts of words, and of pairs with the word above, against the laws of the tables.
void check_words(const std::vector<std::vector<uint32_t>> &seen, const sotto_metric &m,
                 const few_words &known, uint32_t level) {
    const uint32_t size = word_count(m), truth = first_word(m);
    std::vector<double> law(size), observed(size), expected(size);
    for (uint32_t word = 0; word < size; ++word) {
        law[word] = known.law(m, level, truth)[word];
        expected[word] = law[word] * reports;
    }
    for (const uint32_t word : seen[level]) {
        ASSERT_LT(word, size);
        observed[word] += 1;
    }
    EXPECT_LT(chi_square_z(observed, expected), z_limit) << m.id << " level " << level;
    if (level + 1 < m.level_count) {
        std::vector<double> pairs(size * size), expect(pairs.size());
        for (size_t i = 0; i < reports; ++i) {
            pairs[seen[level + 1][i] * size + seen[level][i]] += 1;
        }
        for (const auto &[above, p] : known.law(m, level + 1, truth)) {
            for (const auto &[word, step] : known.below_word(m, level, above)) {
                expect[above * size + word] = reports * p * step;
            }
        }
        EXPECT_LT(chi_square_z(pairs, expect), z_limit) << m.id << " levels from " << level;
    }
    worst_of successive;
    check_successive(seen[level], law, successive);
    EXPECT_LT(successive.z(), z_limit) << m.id << " level " << level << ": " << successive.what();
}

// A bit of every metric, at every level and in successive reports.
TEST(Laws, EveryMechanism) {
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        const sotto_metric &m = every_registry.metrics[i];
        const mechanism &known = mechanism_of(m);
        if (!known.chance(m, 0, 0)) {
            continue;
        }
        lanes seen(m.level_count);
        device d(900u + m.id);
        for (uint32_t epoch = 0; epoch < reports; ++epoch) {
            ASSERT_GE(report_one(d(epoch), m), SOTTO_OK);
            for (uint32_t level = 0; level < m.level_count; ++level) {
                seen[level].push_back(known.bit(d.published(m.id, level)[0], first_word(m)));
            }
            d.flush();
        }
        worst_of worst;
        for (uint32_t level = 0; level < m.level_count; ++level) {
            const double p = *known.chance(m, level, first_word(m));
            worst.add(rate_z(ones(seen[level]), reports, p), "rate");
            for (size_t lag = 1; lag <= 4; ++lag) {
                worst.add(correlation_z(seen[level], seen[level], lag, p, p), "successive reports");
            }
        }
        EXPECT_LT(worst.z(), z_limit) << m.id << ": " << worst.what();
    }
}

// Every word at every level, with the level above it, and in successive reports.
TEST(Laws, EveryMechanismOfFewWords) {
    int looked_at = 0;
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        const sotto_metric &m = every_registry.metrics[i];
        const auto *known = dynamic_cast<const few_words *>(&mechanism_of(m));
        if (known == nullptr) {
            continue;
        }
        ++looked_at;
        std::vector<std::vector<uint32_t>> seen(m.level_count);
        device d(1100u + m.id);
        for (uint32_t epoch = 0; epoch < reports; ++epoch) {
            ASSERT_GE(report_one(d(epoch), m), SOTTO_OK);
            for (uint32_t level = 0; level < m.level_count; ++level) {
                seen[level].push_back(d.published(m.id, level)[0]);
            }
            d.flush();
        }
        for (uint32_t level = 0; level < m.level_count; ++level) {
            check_words(seen, m, *known, level);
        }
    }
    EXPECT_GE(looked_at, 4);
}

TEST(Laws, UnaryCategories) {
    for (const auto id : ids({EVERY_PHASE_OPTIMIZED, EVERY_PHASE_UNARY})) {
        const observation seen = observe(
            id, 40, {0, 1u << 5}, [&](sotto_client *c) { return sotto_report_category(c, id, 37); },
            7u + id);
        check(seen, metric(id));
    }
}

TEST(Laws, Sets) {
    const std::array<uint16_t, 2> members = {5, 1};
    const observation seen = observe(
        EVERY_FAULTS, 6, {0b100010u},
        [&](sotto_client *c) { return sotto_report_set(c, EVERY_FAULTS, members.data(), 2); }, 3);
    check(seen, metric(EVERY_FAULTS));
}

} // namespace
