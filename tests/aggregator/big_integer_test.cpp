// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/big_integer.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {
namespace {

TEST(BigInteger, ReadsDigits) {
    EXPECT_TRUE(big_integer("0").empty());
    EXPECT_EQ(big_integer("1"), (std::vector<std::uint32_t>{1}));
    EXPECT_EQ(big_integer("4294967296"), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(big_integer("340282366920938463463374607431768211455"),
              (std::vector<std::uint32_t>(4, 0xffffffff)));
    for (const char *digits : {"0", "9", "4294967296", "340282366920938463463374607431768211455"}) {
        EXPECT_EQ(decimal_text(big_integer(digits)), digits);
    }
    EXPECT_EQ(decimal_text({7, 0, 0, 0}), "7");
    EXPECT_EQ(bit_length(big_integer("0")), 0u);
    EXPECT_EQ(bit_length(big_integer("4294967295")), 32u);
    EXPECT_EQ(bit_length(big_integer("4294967296")), 33u);
}

// Halves go to even, and one bit far below a half decides.
TEST(BigInteger, RoundsToTheNearestDouble) {
    EXPECT_EQ(scaled_down(big_integer("3"), 2), 0.75);
    EXPECT_EQ(scaled_down(big_integer("0"), 64), 0);
    EXPECT_EQ(scaled_down({1, 1u << 21}, 0), 0x1p53);     // 2^53 + 1: a tie
    EXPECT_EQ(scaled_down({3, 1u << 21}, 0), 0x1p53 + 4); // 2^53 + 3: a tie
    EXPECT_EQ(scaled_down({1, 0, 0, 0, 1, 1u << 21}, 128), 0x1p53 + 2);
    EXPECT_EQ(scaled_down({0, 0, 0, 0, 1, 1u << 21}, 128), 0x1p53);
    EXPECT_EQ(scaled_down({0xffffffff, 0, 0, 0, 0, 1u << 21}, 128), 0x1p53);
    std::vector<std::uint32_t> huge(40, 0);
    huge.push_back(3);
    EXPECT_EQ(scaled_down(huge, 40 * 32 + 2), 0.75);
    std::mt19937 random(3);
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t number = std::uint64_t{random()} << 32 | random();
        const auto low = static_cast<std::uint32_t>(number);
        const auto high = static_cast<std::uint32_t>(number >> 32);
        EXPECT_EQ(scaled_down({low, high}, 64), std::ldexp(static_cast<double>(number), -64));
    }
}

} // namespace
} // namespace sotto::aggregator::test
