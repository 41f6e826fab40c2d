// SPDX-License-Identifier: Apache-2.0
#include "random/bernoulli.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

namespace {

uint32_t draw(uint64_t threshold, uint64_t uniform) {
    const sotto_threshold t = {
        {static_cast<uint32_t>(threshold), static_cast<uint32_t>(threshold >> 32)}};
    std::array<uint8_t, sotto::bernoulli_bytes> bytes{};
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<uint8_t>(uniform >> (8 * i));
    }
    return sotto::bernoulli(t, bytes.data());
}

// Where a borrow between the limbs could go wrong: every pair of values around the limbs' edges.
TEST(Bernoulli, IsUniformBelowThresholdAtEveryEdge) {
    const std::array<uint64_t, 6> centres = {
        0, 1ull << 31, 1ull << 32, 1ull << 63, 0x8000000080000000ull, 4961093570831980854ull};
    size_t ones = 0;
    for (const uint64_t a : centres) {
        for (const uint64_t b : centres) {
            for (uint64_t i = 0; i < 5; ++i) {
                for (uint64_t j = 0; j < 5; ++j) {
                    const uint64_t threshold = a + i - 2;
                    const uint64_t uniform = b + j - 2;
                    ASSERT_EQ(draw(threshold, uniform), uniform < threshold ? 1u : 0u)
                        << uniform << " < " << threshold;
                    ones += uniform < threshold;
                }
            }
        }
    }
    EXPECT_GT(ones, 0u);
}

TEST(Bernoulli, AgreesWithComparisonOnRandomPairs) {
    std::mt19937_64 generator(20261120); // NOLINT: a fixed seed, the test repeats
    for (int i = 0; i < 200000; ++i) {
        const uint64_t threshold = generator() >> (i % 64);
        const uint64_t uniform = generator() >> (i % 61);
        ASSERT_EQ(draw(threshold, uniform), uniform < threshold ? 1u : 0u);
    }
}

} // namespace
