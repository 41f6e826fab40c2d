// SPDX-License-Identifier: Apache-2.0
// The laws of every mechanism through the whole client: marginals, the joint law of levels, and
// independence between bits, between successive reports and between metrics. Bits are looked at as
// flips, published xor true, of whichever true value was reported.
#include "client/derive.hpp"
#include "client/internal.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/rappor.hpp"

#include "metrics.h"
#include "sotto_testing.h"
#include "statistics.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

SOTTO_TEST_PROGRAM();

namespace {

constexpr uint32_t reports = 20000;

double probability(const sotto_threshold &t, unsigned bits) {
    return std::ldexp(t.limb[1] * 4294967296.0 + t.limb[0], -static_cast<int>(bits));
}

struct bit_law {
    double one_if_zero, one_if_one;
};

bit_law then(bit_law first, bit_law second) {
    const auto through = [&](double p) {
        return p * second.one_if_one + (1 - p) * second.one_if_zero;
    };
    return {through(first.one_if_zero), through(first.one_if_one)};
}

bit_law law_of(const sotto_bit_channel &c) {
    return {probability(c.one_if_zero, c.bits), probability(c.one_if_one, c.bits)};
}
bit_law law_of(const sotto_threshold &flip) {
    return {probability(flip, 64), 1 - probability(flip, 64)};
}

// The channel that draws `level` from the level above, or from the true bit.
bit_law step_law(const sotto_metric &m, uint32_t level) {
    switch (m.mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
        return law_of(m.table.randomized_response->flip[level]);
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
        return law_of(m.table.one_bit_mean->flip[level]);
    default:
        return law_of(m.table.unary->channel[level]);
    }
}

bit_law marginal(const sotto_metric &m, uint32_t level) {
    bit_law law = {0, 1};
    for (uint32_t i = m.level_count; i-- > level;) {
        law = then(law, step_law(m, i));
    }
    return law;
}

std::vector<uint16_t> ids(std::initializer_list<unsigned> list) {
    std::vector<uint16_t> result;
    for (const unsigned id : list) {
        result.push_back(static_cast<uint16_t>(id));
    }
    return result;
}

const sotto_metric &metric(uint16_t id) { return *sotto::device::find(every_registry, id); }

// One device that reports a value in each epoch, and what it publishes at each level.
class device {
  public:
    explicit device(uint64_t seed) {
        sotto_testing_init(&testing_, reinterpret_cast<const uint8_t *>(&seed), sizeof seed, 0);
        port_ = sotto_testing_port(&testing_);
        EXPECT_EQ(every_init(&memory_, &port_), SOTTO_OK);
    }

    sotto_client *operator()(uint32_t epoch) {
        EXPECT_EQ(sotto_advance(&memory_.client, epoch), SOTTO_OK);
        return &memory_.client;
    }

    std::vector<uint32_t> published(uint16_t id, uint32_t level) {
        const sotto_metric &m = metric(id);
        std::vector<uint32_t> words(every_registry.metric_count * size_t{64});
        for (const sotto_release &release : memory_.state.releases) {
            if (release.flags != 0 && release.epoch == memory_.state.head.epoch &&
                every_registry.metrics[release.metric_index].id == id) {
                EXPECT_EQ(sotto::device::derive(memory_.client, release, level, words.data()),
                          SOTTO_OK);
            }
        }
        words.resize(m.value_words);
        return words;
    }

    // The words that stay on the device: the top level, already noised.
    std::vector<uint32_t> kept(uint16_t id) {
        std::vector<uint32_t> words;
        for (const sotto_release &release : memory_.state.releases) {
            if (release.flags != 0 && every_registry.metrics[release.metric_index].id == id) {
                const uint32_t *from = sotto::device::release_words(memory_.client, release);
                words.assign(from, from + metric(id).value_words);
            }
        }
        return words;
    }

    void flush() {
        std::array<uint8_t, 4096> buffer{};
        size_t length = 0;
        EXPECT_EQ(sotto_flush(&memory_.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    }

  private:
    sotto_testing testing_{};
    sotto_port port_{};
    every_client memory_{};
};

using lanes = std::vector<std::vector<int>>; // [lane][report]

// What each lane published at every level, for true bits that are `truth`.
struct observation {
    std::vector<lanes> level;
    std::vector<uint32_t> truth; // words
    uint32_t size = 0;
};

template <typename Report>
observation observe(uint16_t id, uint32_t size, std::vector<uint32_t> truth, Report report,
                    uint64_t seed) {
    const sotto_metric &m = metric(id);
    observation seen;
    seen.truth = std::move(truth);
    seen.size = size;
    seen.level.assign(m.level_count, lanes(size));
    device d(seed);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        EXPECT_EQ(report(d(epoch)), SOTTO_OK);
        for (uint32_t level = 0; level < m.level_count; ++level) {
            const std::vector<uint32_t> words = d.published(id, level);
            for (uint32_t i = 0; i < size; ++i) {
                seen.level[level][i].push_back(static_cast<int>(words[i / 32] >> (i % 32) & 1));
            }
        }
        d.flush();
    }
    return seen;
}

double ones(const std::vector<int> &bits) {
    double sum = 0;
    for (const int b : bits) {
        sum += b;
    }
    return sum;
}

class worst_of {
  public:
    void add(double z, const std::string &what) {
        if (std::fabs(z) > std::fabs(z_)) {
            z_ = z;
            what_ = what;
        }
    }
    double z() const { return std::fabs(z_); }
    const std::string &what() const { return what_; }

  private:
    double z_ = 0;
    std::string what_;
};

double one_rate(const observation &seen, const sotto_metric &m, uint32_t level, uint32_t lane) {
    const bit_law law = marginal(m, level);
    return (seen.truth[lane / 32] >> (lane % 32) & 1) != 0 ? law.one_if_one : law.one_if_zero;
}

// Marginals, and the law of each level with the one below it.
void check_laws(const observation &seen, const sotto_metric &m, worst_of &worst) {
    for (uint32_t level = 0; level < m.level_count; ++level) {
        for (uint32_t i = 0; i < seen.size; ++i) {
            const double p = one_rate(seen, m, level, i);
            worst.add(rate_z(ones(seen.level[level][i]), reports, p),
                      "rate of lane " + std::to_string(i));
            if (level + 1 == m.level_count) {
                continue;
            }
            const double above = one_rate(seen, m, level + 1, i);
            const bit_law step = step_law(m, level);
            std::vector<double> observed(4),
                expected = {(1 - above) * (1 - step.one_if_zero) * reports,
                            (1 - above) * step.one_if_zero * reports,
                            above * (1 - step.one_if_one) * reports,
                            above * step.one_if_one * reports};
            for (size_t k = 0; k < reports; ++k) {
                observed[static_cast<size_t>(2 * seen.level[level + 1][i][k] +
                                             seen.level[level][i][k])] += 1;
            }
            worst.add(chi_square_z(observed, expected), "levels of lane " + std::to_string(i));
        }
    }
}

// Bits of one report, and one bit in successive reports.
void check_independence(const observation &seen, const sotto_metric &m, worst_of &worst) {
    for (uint32_t level = 0; level < m.level_count; ++level) {
        for (uint32_t i = 0; i < seen.size; ++i) {
            const double p = one_rate(seen, m, level, i);
            for (uint32_t j = i + 1; j < seen.size; ++j) {
                worst.add(correlation_z(seen.level[level][i], seen.level[level][j], 0, p,
                                        one_rate(seen, m, level, j)),
                          "lanes " + std::to_string(i) + " and " + std::to_string(j));
            }
            for (size_t lag = 1; lag <= 4; ++lag) {
                worst.add(correlation_z(seen.level[level][i], seen.level[level][i], lag, p, p),
                          "successive reports");
            }
        }
    }
}

void check(const observation &seen, const sotto_metric &m) {
    worst_of laws, independence;
    check_laws(seen, m, laws);
    check_independence(seen, m, independence);
    EXPECT_LT(laws.z(), z_limit) << laws.what();
    EXPECT_LT(independence.z(), z_limit) << independence.what();
    EXPECT_GT(laws.z(), 0.5) << "something was looked at";
}

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
    }
}

// P(clamp(u + DLap(q)) = y), by its closed form.
double clamped_laplace(double q, int32_t u, int32_t y, int32_t low, int32_t high) {
    const auto tail = [&](int32_t k) {
        return k <= 0 ? 1 - std::pow(q, 1 - k) / (1 + q) : std::pow(q, k) / (1 + q);
    };
    if (y == high) {
        return tail(high - u);
    }
    if (y == low) {
        return tail(u - low);
    }
    return (1 - q) / (1 + q) * std::pow(q, std::abs(y - u));
}

// q from the lowest digit: q / (1 + q).
double ratio_of(const sotto_geometric &g) {
    const double p =
        (g.digit[g.digit_limbs - 1] + g.digit[g.digit_limbs - 2] / 4294967296.0) / 4294967296.0;
    return p / (1 - p);
}

TEST(Laws, Integers) {
    for (const auto id : ids({EVERY_SPEED, EVERY_SPEED_WITH_MARGIN})) {
        const sotto_metric &m = metric(id);
        const sotto_discrete_laplace &table = *m.table.discrete_laplace;
        for (const int32_t value : {table.min, (table.min + table.max) / 2, table.max - 1}) {
            std::vector<std::map<int32_t, double>> seen(m.level_count);
            std::vector<int> signs[2];
            device d(static_cast<uint64_t>(value) * 31 + id);
            for (uint32_t epoch = 0; epoch < reports; ++epoch) {
                ASSERT_EQ(sotto_report_integer(d(epoch), id, value), SOTTO_OK);
                for (uint32_t level = 0; level < m.level_count; ++level) {
                    const auto y = static_cast<int32_t>(d.published(id, level)[0]);
                    ASSERT_GE(y, table.publish_min);
                    ASSERT_LE(y, table.publish_max);
                    seen[level][y] += 1;
                    if (level == 0) {
                        signs[0].push_back(y > value);
                    }
                }
                d.flush();
            }
            for (uint32_t level = 0; level < m.level_count; ++level) {
                const double q = ratio_of(table.noise[level].size);
                // Cells of equal width, so that each expects enough.
                const int32_t width = std::max(1, (table.publish_max - table.publish_min) / 40);
                std::map<int32_t, double> expected, observed;
                for (int32_t y = table.publish_min; y <= table.publish_max; ++y) {
                    // The ends are cells of their own.
                    const int32_t cell = y == table.publish_min   ? -2
                                         : y == table.publish_max ? -1
                                                                  : (y - table.publish_min) / width;
                    expected[cell] += reports * clamped_laplace(q, value, y, table.publish_min,
                                                                table.publish_max);
                    observed[cell] += seen[level].contains(y) ? seen[level][y] : 0;
                }
                std::vector<double> o, e;
                for (const auto &[cell, count] : expected) {
                    e.push_back(count);
                    o.push_back(observed[cell]);
                }
                EXPECT_LT(chi_square_z(o, e), z_limit)
                    << id << " at " << value << ", level " << level;
            }
            const double p = ones(signs[0]) / reports;
            if (p > 0.01 && p < 0.99) {
                EXPECT_LT(std::fabs(correlation_z(signs[0], signs[0], 1, p, p)), z_limit);
            }
        }
    }
}

TEST(Laws, VectorsHaveIndependentNumbers) {
    const std::array<int32_t, 3> values = {1, -1, 0};
    std::vector<std::vector<int>> above(3);
    device d(17);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        ASSERT_EQ(sotto_report_vector(d(epoch), EVERY_AXES, values.data(), 3), SOTTO_OK);
        const auto words = d.published(EVERY_AXES, 0);
        for (size_t i = 0; i < 3; ++i) {
            above[i].push_back(static_cast<int32_t>(words[i]) > values[i]);
        }
        d.flush();
    }
    const double q = ratio_of(metric(EVERY_AXES).table.discrete_laplace->noise[0].size);
    const double p = q / (1 + q);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_LT(std::fabs(rate_z(ones(above[i]), reports, p)), z_limit);
        for (size_t j = i + 1; j < 3; ++j) {
            EXPECT_LT(std::fabs(correlation_z(above[i], above[j], 0, p, p)), z_limit);
        }
        EXPECT_LT(std::fabs(correlation_z(above[i], above[(i + 1) % 3], 1, p, p)), z_limit);
    }
}

TEST(Laws, OneBitMean) {
    constexpr int32_t value = 17;
    const sotto_metric &m = metric(EVERY_TEMPERATURE);
    const sotto_one_bit_mean &table = *m.table.one_bit_mean;
    const double rounded = (value - table.min) * static_cast<double>(table.scale) / 4294967296.0;
    device d(23);
    std::vector<std::vector<int>> seen(m.level_count);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        ASSERT_EQ(sotto_report_integer(d(epoch), EVERY_TEMPERATURE, value), SOTTO_OK);
        for (uint32_t level = 0; level < m.level_count; ++level) {
            seen[level].push_back(static_cast<int>(d.published(EVERY_TEMPERATURE, level)[0]));
        }
        d.flush();
    }
    for (uint32_t level = 0; level < m.level_count; ++level) {
        const bit_law law = marginal(m, level);
        const double p = rounded * law.one_if_one + (1 - rounded) * law.one_if_zero;
        EXPECT_LT(std::fabs(rate_z(ones(seen[level]), reports, p)), z_limit);
        EXPECT_LT(std::fabs(correlation_z(seen[level], seen[level], 1, p, p)), z_limit);
    }
}

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
    double of(uint32_t low, uint32_t high, uint32_t a, uint32_t b, uint32_t bit) const {
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
    static double step(const sotto_bit_channel &c, uint32_t from, uint32_t to) {
        const bit_law law = law_of(c);
        const double one = (from & 1) != 0 ? law.one_if_one : law.one_if_zero;
        return (to & 1) != 0 ? one : 1 - one;
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
                        expected[cell] = devices * law.of(low, high, cell & 1, cell >> 1, bit);
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

// The release's id must tell nothing of its noise.
TEST(Laws, ReleaseIdsAndMetricsAreIndependent) {
    constexpr uint32_t n = reports;
    std::vector<int> flips[2];
    std::vector<std::vector<int>> id_bits(64);
    sotto_testing testing;
    const uint8_t seed = 9;
    sotto_testing_init(&testing, &seed, 1, 0);
    const sotto_port port = sotto_testing_port(&testing);
    static every_client memory;
    ASSERT_EQ(every_init(&memory, &port), SOTTO_OK);
    std::array<uint8_t, 4096> buffer{};
    size_t length = 0;
    for (uint32_t epoch = 0; epoch < n; ++epoch) {
        ASSERT_EQ(sotto_advance(&memory.client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(&memory.client, EVERY_FLAG, true), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(&memory.client, EVERY_FLAG_UNIT_GRID, true), SOTTO_OK);
        for (const sotto_release &release : memory.state.releases) {
            if (release.flags == 0 || release.epoch != epoch) {
                continue;
            }
            uint32_t word = 0;
            ASSERT_EQ(sotto::device::derive(memory.client, release, 0,
                                            sotto::device::work_words(memory.client, 0)),
                      SOTTO_OK);
            word = sotto::device::work_words(memory.client, 0)[0];
            flips[release.metric_index].push_back(word == 0);
            if (release.metric_index == 0) {
                for (size_t i = 0; i < 64; ++i) {
                    id_bits[i].push_back(sotto::device::release_id(release)[i / 8] >> (i % 8) & 1);
                }
            }
        }
        ASSERT_EQ(sotto_flush(&memory.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    }
    const double p = marginal(metric(EVERY_FLAG), 0).one_if_zero;
    worst_of worst;
    for (size_t i = 0; i < 64; ++i) {
        worst.add(rate_z(ones(id_bits[i]), n, 0.5), "id bit");
        worst.add(correlation_z(id_bits[i], flips[0], 0, 0.5, p), "id bit and flip");
        worst.add(correlation_z(id_bits[i], flips[0], 1, 0.5, p), "id bit and the next flip");
    }
    worst.add(correlation_z(flips[0], flips[1], 0, p, p), "metrics");
    worst.add(correlation_z(flips[0], flips[1], 1, p, p), "metrics, one report later");
    EXPECT_LT(worst.z(), z_limit) << worst.what();
    // The control: an id whose first bit is the highest of the noise that decided the flip.
    std::vector<int> leaked, decided;
    std::array<uint8_t, 8> noise{};
    for (uint32_t k = 0; k < n; ++k) {
        ASSERT_EQ(port.entropy->read(port.entropy->context, noise.data(), noise.size()), 8);
        uint32_t word = 0;
        ASSERT_EQ(sotto::draw_word(metric(EVERY_FLAG), 2, 0, 0, {noise.data(), 8}, &word),
                  SOTTO_OK);
        decided.push_back(static_cast<int>(word));
        leaked.push_back(noise[7] >> 7);
    }
    EXPECT_GT(std::fabs(correlation_z(leaked, decided, 0, 0.5,
                                      marginal(metric(EVERY_FLAG), 2).one_if_zero)),
              z_limit);
}

// A probability kept in four bits, as 4/16, in place of 1 / (1 + e).
TEST(Laws, ACoarseProbabilityIsCaught) {
    sotto_metric coarse = metric(EVERY_FLAG);
    const sotto_threshold quarter = {{0, 0x40000000u}};
    const sotto_randomized_response table = {&quarter};
    coarse.level_count = 1;
    coarse.table.randomized_response = &table;
    sotto_testing testing;
    const uint8_t seed = 5;
    sotto_testing_init(&testing, &seed, 1, 0);
    const sotto_port port = sotto_testing_port(&testing);
    constexpr uint32_t draws = 10 * reports;
    double flips = 0;
    for (uint32_t k = 0; k < draws; ++k) {
        std::array<uint8_t, 8> random{};
        ASSERT_EQ(port.entropy->read(port.entropy->context, random.data(), random.size()), 8);
        uint32_t word = 0;
        ASSERT_EQ(sotto::draw_word(coarse, 0, 0, 0, {random.data(), 8}, &word), SOTTO_OK);
        flips += word;
    }
    EXPECT_LT(std::fabs(rate_z(flips, draws, 0.25)), z_limit);
    EXPECT_GT(std::fabs(rate_z(flips, draws, marginal(metric(EVERY_FLAG), 1).one_if_zero)),
              z_limit);
}

// Fuchsia Cobalt's fault: a random helper that reads a neighbouring byte, so that bits share noise.
TEST(Laws, SharedNoiseIsCaught) {
    const sotto_metric &m = metric(EVERY_PHASE_OPTIMIZED);
    sotto_testing testing;
    const uint8_t seed = 3;
    sotto_testing_init(&testing, &seed, 1, 0);
    const sotto_port port = sotto_testing_port(&testing);
    const uint32_t top = m.level_count - 1u;
    std::vector<uint8_t> random(sotto::level_bytes(m, top));
    for (const bool spoiled : {false, true}) {
        observation seen;
        seen.size = 32;
        seen.truth = {1u << 5};
        seen.level.assign(m.level_count, lanes(32));
        for (uint32_t k = 0; k < reports; ++k) {
            ASSERT_EQ(port.entropy->read(port.entropy->context, random.data(), random.size()),
                      static_cast<int32_t>(random.size()));
            for (size_t i = 0; spoiled && i < random.size(); i += 4) {
                random[i + 1] = random[i];
            }
            uint32_t word = 0;
            ASSERT_EQ(
                sotto::draw_word(m, top, 0, seen.truth[0], {random.data(), random.size()}, &word),
                SOTTO_OK);
            for (uint32_t i = 0; i < 32; ++i) {
                for (uint32_t level = 0; level < m.level_count; ++level) {
                    seen.level[level][i].push_back(static_cast<int>(word >> i & 1));
                }
            }
        }
        worst_of worst;
        // Of the highest level only, which is all that was drawn.
        for (uint32_t i = 0; i < 32; ++i) {
            for (uint32_t j = i + 1; j < 32; ++j) {
                worst.add(correlation_z(seen.level[top][i], seen.level[top][j], 0,
                                        one_rate(seen, m, top, i), one_rate(seen, m, top, j)),
                          "lanes");
            }
        }
        EXPECT_EQ(worst.z() > z_limit, spoiled) << worst.z();
    }
}

} // namespace
