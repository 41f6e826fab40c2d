// SPDX-License-Identifier: Apache-2.0
// The laws of bits and categories through the whole client: marginals, the joint law of levels, and
// independence between bits and between successive reports.
#include "fleet.hpp"

SOTTO_TEST_PROGRAM();

using namespace sotto::test;

namespace {

TEST(Laws, Booleans) {
    for (const auto id : ids({EVERY_FLAG, EVERY_FLAG_UNIT_GRID})) {
        for (const bool value : {false, true}) {
            const observation seen = observe(
                id, 1, {static_cast<uint32_t>(value)},
                [&](sotto_client *c) { return sotto_report_boolean(c, id, value); },
                20261121u + id);
            check(seen, metric(id));
        }
    }
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

TEST(Laws, KRandomizedResponse) {
    const sotto_metric &m = metric(EVERY_PHASE);
    const sotto_k_randomized_response &table = *m.table.k_randomized_response;
    constexpr uint32_t value = 3;
    const double k = table.size;
    std::vector<std::vector<uint32_t>> seen(m.level_count);
    device d(11);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        ASSERT_EQ(sotto_report_category(d(epoch), EVERY_PHASE, value), SOTTO_OK);
        for (uint32_t level = 0; level < m.level_count; ++level) {
            seen[level].push_back(d.published(EVERY_PHASE, level)[0]);
        }
        d.flush();
    }
    double keep = 1;
    std::vector<double> above(table.size);
    above[value] = 1;
    for (uint32_t level = m.level_count; level-- > 0;) {
        const double a = probability(table.keep[level], 64);
        keep *= a;
        std::vector<double> observed(table.size), expected(table.size, (1 - keep) / k * reports);
        expected[value] += keep * reports;
        for (const uint32_t v : seen[level]) {
            ASSERT_LT(v, table.size);
            observed[v] += 1;
        }
        EXPECT_LT(chi_square_z(observed, expected), z_limit) << level;
        if (level + 1 < m.level_count) {
            std::vector<double> pairs(table.size * table.size), expect(pairs.size());
            for (size_t i = 0; i < reports; ++i) {
                pairs[seen[level + 1][i] * table.size + seen[level][i]] += 1;
            }
            for (uint32_t i = 0; i < table.size; ++i) {
                for (uint32_t j = 0; j < table.size; ++j) {
                    expect[i * table.size + j] =
                        reports * above[i] * ((1 - a) / k + (i == j ? a : 0));
                }
            }
            EXPECT_LT(chi_square_z(pairs, expect), z_limit) << "levels " << level;
        }
        for (uint32_t i = 0; i < table.size; ++i) {
            above[i] = expected[i] / reports;
        }
        worst_of successive;
        check_successive(seen[level], above, successive);
        EXPECT_LT(successive.z(), z_limit) << "level " << level << ": " << successive.what();
    }
}

} // namespace
