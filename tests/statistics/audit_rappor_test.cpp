// SPDX-License-Identifier: Apache-2.0
// epsilon(n) of RAPPOR and of hashed response, as it is charged for one value that is reported n
// times.
#include "attack.hpp"

#include "metrics.h"

SOTTO_TEST_PROGRAM();

namespace {

const sotto_metric &metric(uint32_t id) {
    return *std::find_if(audited_registry.metrics,
                         audited_registry.metrics + audited_registry.metric_count,
                         [&](const sotto_metric &m) { return m.id == id; });
}

// The charge: 2^-20, rounded up.
double stated(const sotto_metric &m, uint32_t reports) {
    return std::ldexp(m.cost[std::min<uint32_t>(reports, m.cost_reports) - 1], -20);
}

// Two values without a common bit.
uint32_t first_value(const sotto_metric &m) { return m.table.rappor->hashes == 2 ? 0x88u : 0x8u; }
uint32_t second_value(const sotto_metric &m) { return first_value(m) << 16; }

TEST(AuditRappor, OneValueReportedAgainAndAgain) {
    const struct {
        uint32_t id, reports;
        double share; // found share of the stated loss
    } cases[] = {
        {AUDITED_ONE_HASH, 1, 0.9},    {AUDITED_ONE_HASH, 2, 0.9},
        {AUDITED_ONE_HASH, 10, 0.9},   {AUDITED_TWO_HASHES, 1, 0.85},
        {AUDITED_TWO_HASHES, 2, 0.85}, {AUDITED_TWO_HASHES, 10, 0.85},
        {AUDITED_ONE_HOT, 1, 0.9},     {AUDITED_ONE_HOT, 2, 0.9},
        {AUDITED_ONE_HOT, 10, 0.9},    {AUDITED_AS_PUBLISHED, 1, 0.85},
    };
    attack a(20);
    for (const auto &c : cases) {
        const sotto_metric &m = metric(c.id);
        const double found =
            epsilon_of_bits([&](uint32_t value) { return a.repeated(m, value, c.reports); },
                            first_value(m), second_value(m));
        EXPECT_LE(found, stated(m, c.reports)) << c.id << ", " << c.reports << " reports";
        EXPECT_GE(found, c.share * stated(m, c.reports)) << c.id << ", " << c.reports << " reports";
    }
}

// By how often the one hash value is reported and the other.
double of_hash_values(attack &a, const sotto_metric &m, uint32_t reports) {
    return epsilon_at_least([&](bool is_first) {
        double sum = 0;
        for (const uint32_t word : a.repeated(m, is_first ? 0 : 1, reports)) {
            sum += word == 0 ? 1 : word == 1 ? -1 : 0;
        }
        return sum;
    });
}

// The charge of several is for the worst way to have them: of several hash values.
TEST(AuditHashed, OneHashValueReportedAgainAndAgain) {
    attack a(22);
    const sotto_metric &m = metric(AUDITED_HASH_VALUES);
    const double once = of_hash_values(a, m, 1), often = of_hash_values(a, m, 10);
    EXPECT_LE(once, stated(m, 1));
    EXPECT_GE(once, 0.95 * stated(m, 1));
    EXPECT_LE(often, 2) << "permanent_epsilon";
    EXPECT_GE(often, 0.95 * 2);
}

// Permanent bits that are drawn anew for every report.
TEST(AuditRappor, CatchesPermanentNoiseThatDoesNotStay) {
    attack a(21);
    const sotto_metric &m = metric(AUDITED_ONE_HASH);
    const double found = epsilon_of_bits(
        [&](uint32_t value) {
            std::vector<uint32_t> bits;
            for (int i = 0; i < 10; ++i) {
                bits.push_back(a.repeated(m, value, 1)[0]);
            }
            return bits;
        },
        first_value(m), second_value(m));
    EXPECT_GT(found, 1.5 * stated(m, 10));
}

} // namespace
