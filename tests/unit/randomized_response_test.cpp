// SPDX-License-Identifier: Apache-2.0
#include "mechanism/randomized_response.hpp"

#include "metrics.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>

namespace {

const sotto_metric &metric(uint16_t id) {
    for (uint16_t i = 0; i < test_fleet_registry.metric_count; ++i) {
        if (test_fleet_registry.metrics[i].id == id) {
            return test_fleet_registry.metrics[i];
        }
    }
    throw std::out_of_range("no such metric");
}

uint64_t threshold(const sotto_metric &m, uint32_t level) {
    const sotto_threshold &t = m.table.randomized_response->flip[level];
    return static_cast<uint64_t>(t.limb[1]) << 32 | t.limb[0];
}

uint32_t published(const sotto_metric &m, uint32_t level, uint32_t value,
                   const std::array<uint64_t, 16> &uniform) {
    std::array<uint8_t, 128> random{};
    for (size_t i = 0; i < random.size(); ++i) {
        random[i] = static_cast<uint8_t>(uniform[i / 8] >> (8 * (i % 8)));
    }
    uint32_t bit = 2;
    EXPECT_EQ(sotto::randomized_response(m, level, value, {random.data(), m.random_bytes}, &bit),
              SOTTO_OK);
    return bit;
}

// Each level of the ladder flips exactly when its own random number is below its own threshold, so
// over all combinations of flips every level is the value xor the flips from the top down to it.
TEST(RandomizedResponse, EveryCombinationOfFlipsAtEveryLevel) {
    for (uint16_t index = 0; index < test_fleet_registry.metric_count; ++index) {
        const sotto_metric &m = test_fleet_registry.metrics[index];
        for (uint32_t flips = 0; flips < 1u << m.level_count; ++flips) {
            std::array<uint64_t, 16> uniform{};
            for (uint32_t i = 0; i < m.level_count; ++i) {
                // The last number that flips, or the first that does not.
                uniform[i] = threshold(m, i) - (flips >> i & 1);
            }
            for (uint32_t level = 0; level < m.level_count; ++level) {
                const uint32_t expected = static_cast<uint32_t>(__builtin_parity(flips >> level));
                EXPECT_EQ(published(m, level, 0, uniform), expected);
                EXPECT_EQ(published(m, level, 1, uniform), expected ^ 1);
            }
        }
    }
}

// tests/vectors/rr.json: ceil(2^64 / (1 + e)).
TEST(RandomizedResponse, TableIsTheVectors) {
    EXPECT_EQ(threshold(metric(TEST_FLEET_DOOR_OPEN), 0), 4961093570831980854ull);
}

TEST(RandomizedResponse, RefusesWhatIsNotInTheTable) {
    const sotto_metric &m = metric(TEST_FLEET_SMOKE);
    const std::array<uint8_t, 128> random{};
    uint32_t bit = 1;
    EXPECT_EQ(sotto::randomized_response(m, 3, 1, {random.data(), 128}, &bit), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(bit, 0u);
    bit = 1;
    EXPECT_EQ(sotto::randomized_response(m, 0, 1, {random.data(), 23}, &bit), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(bit, 0u);
    sotto_metric other = m;
    other.mechanism = 2;
    bit = 1;
    EXPECT_EQ(sotto::randomized_response(other, 0, 1, {random.data(), 128}, &bit),
              SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(bit, 0u);
}

} // namespace
