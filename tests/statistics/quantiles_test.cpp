// SPDX-License-Identifier: Apache-2.0
// The law of quantiles through the whole client: how often each answer comes, against weights by
// steps that are worked out by hand.
#include "../unit/read_batch.hpp"
#include "metrics.h"
#include "sotto_testing.h"
#include "statistics.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

SOTTO_TEST_PROGRAM();

namespace {

struct known {
    uint16_t id;
    double epsilon;
    std::vector<int32_t> points;
    std::vector<double> steps; // by answer
};
const std::array<known, 4> every = {
    // Moves of 1: the points 0 1 1 3 5 have the median 1. At 4 the second 1 takes 3 moves, and 3
    // one.
    known{QUANTILES_MEDIAN, 1, {5, 1, 3, 0, 1}, {2, 0, 1, 2, 3 + 1, 4 + 2}},
    // Eight numbers in six bins, moves of 2 numbers and so of 2 bins: 0 1 4 are in bins 2 3 5.
    known{QUANTILES_FAR_MEDIAN, 2, {0, 1, 4}, {2 + 1, 1 + 1, 1, 0, 1, 1}},
    // Nine tenths of three points: the third.
    known{QUANTILES_UPPER, 0.5, {2, 3, 6}, {2 + 1 + 1, 2 + 1 + 1, 2 + 1, 1, 1, 1, 0}},
    // The least of all; every move reaches all bins.
    known{QUANTILES_LOWEST, 4, {7, 3, 7, 7}, {1, 0, 1, 1}},
};

std::vector<double> answers_of(const known &k, uint32_t epochs) {
    const uint8_t seed = 22;
    sotto_testing testing{};
    sotto_testing_init(&testing, &seed, 1, 0);
    const sotto_port port = sotto_testing_port(&testing);
    quantiles_client device{};
    EXPECT_EQ(quantiles_init(&device, &port), SOTTO_OK);
    std::vector<double> counts(k.steps.size());
    for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
        std::array<uint8_t, QUANTILES_FLUSH_BYTES_MIN> buffer{};
        size_t length = 0;
        EXPECT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
        EXPECT_EQ(sotto_report_quantile(&device.client, k.id, k.points.data(), k.points.size()),
                  SOTTO_OK);
        EXPECT_EQ(sotto_flush(&device.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        const read_batch batch(buffer.data(), length, quantiles_registry);
        EXPECT_EQ(sotto_acknowledge(&device.client), SOTTO_OK);
        counts.at(batch.reports.at(0).index) += 1;
    }
    return counts;
}

std::vector<double> expected(const known &k, double epsilon, double epochs) {
    std::vector<double> law;
    double total = 0;
    for (const double steps : k.steps) {
        law.push_back(std::exp(-epsilon / 2 * steps));
        total += law.back();
    }
    for (double &share : law) {
        share *= epochs / total;
    }
    return law;
}

// A law, and that of an epsilon a fifth larger, which must be told apart.
TEST(QuantileLaws, AreThoseOfTheStepsToEachAnswer) {
    constexpr uint32_t epochs = 20000;
    for (const known &k : every) {
        const std::vector<double> counts = answers_of(k, epochs);
        EXPECT_LT(chi_square_z(counts, expected(k, k.epsilon, epochs)), z_limit) << k.id;
        EXPECT_GT(chi_square_z(counts, expected(k, k.epsilon * 1.2, epochs)), z_limit)
            << k.id << ", the control";
    }
}

} // namespace
