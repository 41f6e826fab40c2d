// SPDX-License-Identifier: Apache-2.0
// The samplers against plain arithmetic that is free to branch.
#include "mechanism/bits.hpp"
#include "mechanism/discrete_laplace.hpp"
#include "mechanism/one_bit_mean.hpp"
#include "mechanism/rappor.hpp"
#include "random/bernoulli_lanes.hpp"
#include "random/fixed_time.hpp"
#include "random/geometric.hpp"
#include "random/laplace.hpp"
#include "random/uniform.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using wide = unsigned __int128;

sotto_threshold threshold(uint64_t t) {
    return {{static_cast<uint32_t>(t), static_cast<uint32_t>(t >> 32)}};
}

void put(std::vector<uint8_t> &bytes, uint64_t value, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
    }
}

TEST(FixedTime, DecisionsAreThoseOfArithmetic) {
    const std::array<uint32_t, 8> edges = {0,           1,           2,           0x7fffffffu,
                                           0x80000000u, 0x80000001u, 0xfffffffeu, 0xffffffffu};
    for (const uint32_t a : edges) {
        EXPECT_EQ(sotto::is_zero(a), a == 0 ? UINT32_MAX : 0u);
        for (const uint32_t b : edges) {
            const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
            EXPECT_EQ(sotto::less(a, b), a < b ? UINT32_MAX : 0u);
            EXPECT_EQ(sotto::equal(a, b), a == b ? UINT32_MAX : 0u);
            EXPECT_EQ(sotto::less_signed(a, b), sa < sb ? UINT32_MAX : 0u);
            for (const uint32_t x : edges) {
                if (sa <= sb) {
                    EXPECT_EQ(static_cast<int32_t>(sotto::clamp_signed(x, a, b)),
                              std::clamp(static_cast<int32_t>(x), sa, sb));
                }
            }
        }
    }
}

// Every pair of probabilities out of 2^n, every uniform number, every input: n up to five, since 32
// lanes hold every number of five bits.
TEST(BernoulliLanes, EveryThresholdEveryNumber) {
    for (uint32_t bits = 0; bits <= 5; ++bits) {
        const uint32_t size = 1u << bits;
        std::vector<uint8_t> random;
        for (uint32_t j = 0; j < bits; ++j) {
            uint32_t word = 0;
            for (uint32_t lane = 0; lane < 32; ++lane) {
                word |= (lane % size >> j & 1) << lane;
            }
            put(random, word, 4);
        }
        for (uint32_t if_zero = 0; if_zero <= size; ++if_zero) {
            for (uint32_t if_one = 0; if_one <= size; ++if_one) {
                const sotto_bit_channel channel = {threshold(if_zero), threshold(if_one),
                                                   static_cast<uint8_t>(bits)};
                for (const uint32_t in : {0u, UINT32_MAX, 0x5a3cf00fu}) {
                    const uint32_t out = sotto::bernoulli_lanes(channel, in, random.data());
                    for (uint32_t lane = 0; lane < 32; ++lane) {
                        const uint32_t t = (in >> lane & 1) != 0 ? if_one : if_zero;
                        ASSERT_EQ(out >> lane & 1, lane % size < t ? 1u : 0u)
                            << bits << ' ' << if_zero << ' ' << if_one << ' ' << lane;
                    }
                }
            }
        }
    }
}

TEST(BernoulliLanes, WideThresholdsAtTheirEdges) {
    std::mt19937_64 generator(20261121); // NOLINT: a fixed seed, the test repeats
    for (const uint32_t bits : {31u, 32u, 33u, 48u, 63u, 64u}) {
        const uint64_t ones = bits == 64 ? ~0ull : (1ull << bits) - 1;
        for (int round = 0; round < 200; ++round) {
            const uint64_t t = generator() & ones;
            std::array<uint64_t, 32> u{};
            for (size_t lane = 0; lane < 32; ++lane) {
                u[lane] = (lane < 3 ? t + lane - 1 : generator() >> (lane % 8)) & ones;
            }
            std::vector<uint8_t> random;
            for (uint32_t j = 0; j < bits; ++j) {
                uint32_t word = 0;
                for (size_t lane = 0; lane < 32; ++lane) {
                    word |= static_cast<uint32_t>(u[lane] >> j & 1) << lane;
                }
                put(random, word, 4);
            }
            const sotto_bit_channel channel = {threshold(0), threshold(t),
                                               static_cast<uint8_t>(bits)};
            const uint32_t out = sotto::bernoulli_lanes(channel, UINT32_MAX, random.data());
            for (size_t lane = 0; lane < 32; ++lane) {
                ASSERT_EQ(out >> lane & 1, u[lane] < t ? 1u : 0u) << bits << ' ' << lane;
            }
            ASSERT_EQ(sotto::bernoulli_lanes(channel, 0, random.data()), 0u);
        }
    }
}

TEST(Uniform, IsTheExactFloor) {
    std::mt19937_64 generator(7); // NOLINT
    for (const uint32_t size : {2u, 3u, 7u, 256u, 1000u, 65535u}) {
        for (int i = 0; i < 20000; ++i) {
            // Half of them right where the answer changes.
            const uint64_t v = generator() % size;
            const auto edge =
                static_cast<uint64_t>(((static_cast<wide>(v) << 64) + size - 1) / size);
            const uint64_t u = i % 2 == 0 ? generator() : edge - (i % 4 == 1 ? 1 : 0);
            std::vector<uint8_t> random;
            put(random, u, 8);
            ASSERT_EQ(sotto::uniform_below(size, random.data()),
                      static_cast<uint32_t>(static_cast<wide>(u) * size >> 64));
            const auto x = static_cast<uint32_t>(u >> 32);
            ASSERT_EQ(sotto::scaled(x, size),
                      static_cast<uint32_t>(static_cast<uint64_t>(x) * size >> 32));
        }
    }
}

TEST(Geometric, EveryCombinationOfDigits) {
    for (const uint8_t limbs : {uint8_t{2}, uint8_t{4}}) {
        constexpr uint32_t digits = 4;
        std::vector<uint32_t> table((digits + 1) * limbs, 0x80000000u);
        const sotto_geometric g = {table.data(), digits, limbs, 1};
        ASSERT_EQ(sotto::geometric_bytes(g), (digits + 1) * limbs * 4u);
        for (uint32_t ones = 0; ones < 1u << (digits + 1); ++ones) {
            std::vector<uint8_t> random;
            for (uint32_t j = 0; j <= digits; ++j) {
                for (uint32_t limb = 0; limb < limbs; ++limb) {
                    // The last number below the threshold, or the threshold itself.
                    const bool is_low = limb == 0 && (ones >> j & 1) != 0;
                    put(random, is_low ? 0x7fffffffu : 0x80000000u, 4);
                }
            }
            ASSERT_EQ(sotto::geometric(g, random.data()), ones);
        }
    }
}

TEST(Laplace, ZeroSignAndSize) {
    const std::array<uint32_t, 4> digits = {0, 0x80000000u, 0, 0x80000000u};
    const sotto_laplace_noise noise = {threshold(1ull << 63), {digits.data(), 2, 2, 0}};
    ASSERT_EQ(sotto::laplace_bytes(noise), 28u);
    for (uint32_t nonzero = 0; nonzero < 2; ++nonzero) {
        for (uint32_t negative = 0; negative < 2; ++negative) {
            for (uint32_t size = 0; size < 4; ++size) {
                std::vector<uint8_t> random;
                put(random, nonzero != 0 ? 0 : ~0ull, 8);
                put(random, 0xfffffffeu | negative, 4); // the other 31 bits don't count
                put(random, (size & 1) != 0 ? 0 : ~0ull, 8);
                put(random, (size & 2) != 0 ? 0 : ~0ull, 8);
                const auto signed_size = static_cast<int32_t>(size + 1) * (negative != 0 ? -1 : 1);
                EXPECT_EQ(static_cast<int32_t>(sotto::laplace(noise, random.data())),
                          nonzero != 0 ? signed_size : 0);
            }
        }
    }
}

TEST(Unary, MembersAndTheLastWord) {
    const std::array<uint16_t, 5> members = {0, 31, 32, 64, 65};
    std::array<uint32_t, 3> words = {7, 7, 7};
    sotto::set_members(members.data(), members.size(), 65, words.data());
    EXPECT_EQ(words, (std::array<uint32_t, 3>{0x80000001u, 1u, 1u})) << "65 is no member of 65";
    EXPECT_EQ(sotto::members_of_word(65, 2), 1u);
    EXPECT_EQ(sotto::members_of_word(64, 1), UINT32_MAX);
    // Bits that stand for nothing stay zero, whatever the noise.
    const sotto_bit_channel always = {threshold(1), threshold(1), 0};
    EXPECT_EQ(sotto::noised_bits(always, 65, 2, 0, nullptr), 1u);
}

TEST(Vector, ClipsToTheBudgetInOrder) {
    const sotto_discrete_laplace table = {nullptr, -10, 10, -10, 10, 4, 12};
    std::array<uint32_t, 4> values = {7, static_cast<uint32_t>(-4), 5, 1};
    EXPECT_EQ(sotto::clip_l1(table, values.data(), 4), 1u);
    EXPECT_EQ(values, (std::array<uint32_t, 4>{7, static_cast<uint32_t>(-4), 1, 0}));
    EXPECT_EQ(sotto::clip_l1(table, values.data(), 4), 0u) << "now it fits";
    sotto_discrete_laplace free = table;
    free.l1_half = UINT32_MAX;
    std::array<uint32_t, 2> ends = {10, static_cast<uint32_t>(-10)};
    EXPECT_EQ(sotto::clip_l1(free, ends.data(), 2), 0u);
}

TEST(OneBitMean, RoundsWithTheRightProbabilityAtTheEnds) {
    const sotto_one_bit_mean table = {nullptr, -5, 5, UINT32_MAX / 10};
    std::vector<uint8_t> low, high;
    put(low, 0, 4);
    put(high, UINT32_MAX, 4);
    const auto at = [&](int32_t x, const std::vector<uint8_t> &random) {
        return sotto::rounded_to_one_bit(table, static_cast<uint32_t>(x), random.data());
    };
    EXPECT_EQ(at(-5, low), 0u) << "the lower end never rounds up";
    EXPECT_EQ(at(-4, low), 1u);
    EXPECT_EQ(at(5, high), 0u) << "within 2^-32 * 10 of certainty";
    std::vector<uint8_t> middle;
    put(middle, 5u * (UINT32_MAX / 10) - 1, 4);
    EXPECT_EQ(at(0, middle), 1u);
    middle.clear();
    put(middle, 5u * (UINT32_MAX / 10), 4);
    EXPECT_EQ(at(0, middle), 0u);
    EXPECT_EQ(sotto::clamped_number(table, 6), 5u);
    EXPECT_EQ(static_cast<int32_t>(sotto::clamped_number(table, static_cast<uint32_t>(-6))), -5);
}

TEST(Bloom, TakesBigEndianWordsOfTheDigest) {
    sotto_rappor table = {};
    table.bits = 100;
    table.hashes = 3;
    std::array<uint8_t, 32> digest{};
    digest[0] = 0x80;  // hash 0: half of 2^32, bit 50
    digest[4] = 0xff;  // hash 1: 255 / 256 of it, bit 99
    digest[12] = 0xff; // hash 3 is not used; hash 2 is bit 0
    std::array<uint32_t, 4> words{};
    sotto::bloom_bits(table, digest.data(), words.data());
    EXPECT_EQ(words, (std::array<uint32_t, 4>{1u, 1u << 18, 0u, 1u << 3}));
}

} // namespace
