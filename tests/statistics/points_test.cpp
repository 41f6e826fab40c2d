// SPDX-License-Identifier: Apache-2.0
// The law of the noise of points through the whole client, for each strategy. Published numbers,
// less the counts, are discrete Laplace of the unit that the strategy is charged for.
#include "../unit/read_batch.hpp"
#include "metrics.h"
#include "sotto_testing.h"
#include "statistics.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

SOTTO_TEST_PROGRAM();

namespace {

using series = std::vector<int32_t>;

struct charged {
    uint16_t id;
    double unit_epsilon;
    std::vector<uint32_t> counts; // counts of the points below
};
const std::array<int32_t, 3> some = {0, 3, 3};
const std::array<charged, 6> every = {
    charged{POINTS_EACH_BIN, 2.0 / 2, {1, 0, 0, 2, 0, 0, 0, 0}},
    charged{POINTS_SUFFIXES, 1.0 / 2, {3, 2, 2, 2, 0, 0, 0, 0}},
    charged{POINTS_TREE, 1.0 / 6, {1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 0, 3}},
    charged{POINTS_HAAR, 1.0 / 6, {1, UINT32_MAX - 1, 0, 0, UINT32_MAX, 0, 3, 3}},
    charged{
        POINTS_HYBRID, 2.0 / 12, {1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 3, 0, 0}},
    // One point, (0, 3): in the first square of a grid, and in one of the second line of another.
    charged{POINTS_SQUARES, 2.0 / 4, {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}}};

// The noise of every row, row by row.
std::vector<series> noise_of(const charged &c) {
    constexpr uint32_t epochs = 4000;
    const uint8_t seed = 21;
    sotto_testing testing{};
    sotto_testing_init(&testing, &seed, 1, 0);
    const sotto_port port = sotto_testing_port(&testing);
    points_client device{};
    EXPECT_EQ(points_init(&device, &port), SOTTO_OK);
    std::vector<series> noise(c.counts.size());
    for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
        std::array<uint8_t, POINTS_FLUSH_BYTES_MIN> buffer{};
        size_t length = 0;
        EXPECT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
        const size_t axes = points_registry.metrics[c.id - 1].table.noised_points->axes;
        EXPECT_EQ(sotto_report_points(&device.client, c.id, some.data(), some.size() / axes),
                  SOTTO_OK);
        EXPECT_EQ(sotto_flush(&device.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        const read_batch batch(buffer.data(), length, points_registry);
        EXPECT_EQ(sotto_acknowledge(&device.client), SOTTO_OK);
        std::vector<uint32_t> rows(batch.reports.at(0).bytes.size() / 4);
        EXPECT_EQ(rows.size(), c.counts.size());
        std::memcpy(rows.data(), batch.reports.at(0).bytes.data(), 4 * rows.size());
        for (size_t i = 0; i < rows.size(); ++i) {
            noise[i].push_back(static_cast<int32_t>(rows[i] - c.counts.at(i)));
        }
    }
    return noise;
}

constexpr int32_t far = 400; // beyond it the law is below 1e-28

double law_z(const std::vector<series> &noise, double unit_epsilon) {
    std::vector<double> observed(2 * far + 1), expected(2 * far + 1);
    double count = 0;
    for (const series &row : noise) {
        for (const int32_t v : row) {
            EXPECT_LE(std::abs(v), far);
            observed.at(static_cast<size_t>(v + far)) += 1;
            count += 1;
        }
    }
    const double q = std::exp(-unit_epsilon);
    for (int32_t v = -far; v <= far; ++v) {
        expected[static_cast<size_t>(v + far)] =
            count * (1 - q) / (1 + q) * std::pow(q, std::abs(v));
    }
    return chi_square_z(observed, expected);
}

std::vector<int> above(const series &noise) {
    std::vector<int> bits;
    for (const int32_t v : noise) {
        bits.push_back(v > 0 ? 1 : 0);
    }
    return bits;
}

// A law, and that of a unit a fifth larger, which must be told apart.
TEST(PointLaws, AreThoseOfTheUnitThatIsCharged) {
    for (const charged &c : every) {
        const std::vector<series> noise = noise_of(c);
        EXPECT_LT(law_z(noise, c.unit_epsilon), z_limit) << c.id;
        EXPECT_GT(law_z(noise, c.unit_epsilon * 1.2), z_limit) << c.id << ", the control";
        const double q = std::exp(-c.unit_epsilon), p = q / (1 + q);
        for (size_t i = 0; i < noise.size(); ++i) {
            const auto z = [&](size_t j, size_t lag) {
                return std::abs(correlation_z(above(noise[i]), above(noise[j]), lag, p, p));
            };
            EXPECT_LT(z(i, 1), z_limit) << c.id << ' ' << i;
            for (size_t j = i + 1; j < noise.size(); ++j) {
                EXPECT_LT(z(j, 0), z_limit) << c.id << ' ' << i << ' ' << j;
            }
        }
    }
}

} // namespace
