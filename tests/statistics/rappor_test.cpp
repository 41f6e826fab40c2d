// SPDX-License-Identifier: Apache-2.0
// RAPPOR through the whole client: reports of one permanent bit, and of several levels.
#include "fleet.hpp"
#include "mechanism/rappor.hpp"

using namespace sotto::test;

namespace {

// One device a report, since permanent noise stays the same in a device's life.
TEST(Laws, RapporAcrossDevices) {
    const sotto_metric &m = metric(EVERY_PHASE_RAPPOR);
    const sotto_rappor &table = *m.table.rappor;
    const bit_law permanent = law_of(table.permanent[0]), instant = law_of(table.instantaneous[0]);
    const bit_law both = then(permanent, instant);
    std::vector<std::vector<int>> first(40), second(40);
    for (uint32_t k = 0; k < reports / 2; ++k) {
        device d(1000 + k);
        for (uint32_t epoch = 0; epoch < 2; ++epoch) {
            ASSERT_EQ(sotto_report_category(d(epoch), EVERY_PHASE_RAPPOR, 3), SOTTO_OK);
            const auto words = d.published(EVERY_PHASE_RAPPOR, 0);
            for (uint32_t i = 0; i < 40; ++i) {
                (epoch == 0 ? first : second)[i].push_back(
                    static_cast<int>(words[i / 32] >> (i % 32) & 1));
            }
        }
    }
    worst_of worst;
    const double n = reports / 2;
    for (uint32_t i = 0; i < 40; ++i) {
        const double p = i == 3 ? both.one_if_one : both.one_if_zero;
        worst.add(rate_z(ones(first[i]), n, p), "rate");
        // Two reports of one permanent bit are alike to a known degree.
        const double z = i == 3 ? permanent.one_if_one : permanent.one_if_zero;
        const double both_ones = z * instant.one_if_one * instant.one_if_one +
                                 (1 - z) * instant.one_if_zero * instant.one_if_zero;
        double together = 0;
        for (size_t k = 0; k < first[i].size(); ++k) {
            together += first[i][k] & second[i][k];
        }
        worst.add(rate_z(together, n, both_ones), "two reports of a bit");
        for (uint32_t j = i + 1; j < 40; ++j) {
            const double r = j == 3 ? both.one_if_one : both.one_if_zero;
            worst.add(correlation_z(first[i], first[j], 0, p, r), "bits");
            worst.add(correlation_z(first[i], second[j], 0, p, r), "bits of two reports");
        }
    }
    EXPECT_LT(worst.z(), z_limit) << worst.what();
}

// The joint law of the levels of one RAPPOR release: permanent bits z by level, reports y by level,
// chained or fresh. Each device reports once, so that permanent noise is drawn anew.
class rappor_law {
  public:
    rappor_law(const sotto_rappor &table, uint32_t count) : table_(table), count_(count) {}

    // P(report at `low` = a, report at `high` = b | true bit).
    double chance(uint32_t low, uint32_t high, uint32_t a, uint32_t b, uint32_t bit) const {
        double sum = 0;
        for (uint32_t z = 0; z < 1u << count_; ++z) {
            for (uint32_t y = 0; y < 1u << count_; ++y) {
                if ((y >> low & 1) == a && (y >> high & 1) == b) {
                    sum += weight(z, y, bit);
                }
            }
        }
        return sum;
    }

  private:
    static double step(const sotto_bit_channel &c, uint32_t from, uint32_t next) {
        const bit_law law = law_of(c);
        const double if_one = (from & 1) != 0 ? law.one_if_one : law.one_if_zero;
        return (next & 1) != 0 ? if_one : 1 - if_one;
    }
    double weight(uint32_t z, uint32_t y, uint32_t bit) const {
        double w = 1;
        for (uint32_t level = 0; level < count_; ++level) {
            const bool is_top = level + 1 == count_;
            w *= step(table_.permanent[level], is_top ? bit : z >> (level + 1), z >> level);
            const uint32_t from = sotto::is_chained(table_, level) ? y >> (level + 1) : z >> level;
            w *= step(table_.instantaneous[level], from, y >> level);
        }
        return w;
    }

    const sotto_rappor &table_;
    uint32_t count_;
};

TEST(Laws, LevelsOfRappor) {
    for (const auto id : ids({EVERY_LADDER_OF_VALUES, EVERY_LADDER_OF_SEQUENCES})) {
        const sotto_metric &m = metric(id);
        const rappor_law law(*m.table.rappor, m.level_count);
        constexpr uint32_t devices = 4000, category = 3;
        std::vector<lanes> seen(m.level_count, lanes(40));
        lanes permanent(40);
        for (uint32_t k = 0; k < devices; ++k) {
            device d(5000 + k + 10000u * id);
            ASSERT_EQ(sotto_report_category(d(0), id, category), SOTTO_OK);
            for (uint32_t level = 0; level < m.level_count; ++level) {
                const auto words = d.published(id, level);
                for (uint32_t i = 0; i < 40; ++i) {
                    seen[level][i].push_back(static_cast<int>(words[i / 32] >> (i % 32) & 1));
                }
            }
            const auto top = d.kept(id);
            for (uint32_t i = 0; i < 40; ++i) {
                permanent[i].push_back(static_cast<int>(top[i / 32] >> (i % 32) & 1));
            }
        }
        worst_of worst;
        for (uint32_t i = 0; i < 40; ++i) {
            const uint32_t bit = i == category ? 1 : 0;
            for (uint32_t low = 0; low < m.level_count; ++low) {
                for (uint32_t high = low + 1; high < m.level_count; ++high) {
                    std::vector<double> observed(4), expected(4);
                    for (uint32_t cell = 0; cell < 4; ++cell) {
                        expected[cell] = devices * law.chance(low, high, cell & 1, cell >> 1, bit);
                    }
                    for (size_t k = 0; k < devices; ++k) {
                        observed[static_cast<size_t>(seen[low][i][k] + 2 * seen[high][i][k])] += 1;
                    }
                    worst.add(chi_square_z(observed, expected),
                              std::to_string(low) + " and " + std::to_string(high));
                }
            }
            // Permanent noise by itself, between lanes of one word and of two.
            const bit_law top = law_of(m.table.rappor->permanent[m.level_count - 1]);
            const double p = bit != 0 ? top.one_if_one : top.one_if_zero;
            worst.add(rate_z(ones(permanent[i]), devices, p), "permanent rate");
            for (uint32_t j = i + 1; j < 40; ++j) {
                const double r = j == category ? top.one_if_one : top.one_if_zero;
                worst.add(correlation_z(permanent[i], permanent[j], 0, p, r),
                          "permanent lanes " + std::to_string(i) + ", " + std::to_string(j));
            }
        }
        EXPECT_LT(worst.z(), z_limit) << "metric " << id << ": " << worst.what();
    }
}

} // namespace
