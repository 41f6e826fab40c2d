// SPDX-License-Identifier: Apache-2.0
// The sorting network, proven for every length that a vector can have.
#include "mechanism/sorting.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

namespace {

using pairs = std::vector<std::pair<uint32_t, uint32_t>>;

pairs stage(uint32_t count, uint32_t step) {
    pairs called;
    sotto::merge_stage(count, step,
                       [&](uint32_t low, uint32_t high) { called.emplace_back(low, high); });
    return called;
}

// 64 inputs of zeros and ones at once, a bit each. Are those that were in order sorted?
bool sorts(const pairs &network, std::vector<uint64_t> wires) {
    for (const auto &[low, high] : network) {
        const uint64_t a = wires.at(low), b = wires.at(high);
        wires[low] = a & b;
        wires[high] = a | b;
    }
    for (size_t i = 1; i < wires.size(); ++i) {
        if ((wires[i - 1] & ~wires[i]) != 0) {
            return false;
        }
    }
    return true;
}

// The pairs among the numbers `step` apart from `first` on, and how many numbers these are. A pair
// that leaves them would be no part of a merge.
pairs of_class(const pairs &network, uint32_t step, uint32_t first) {
    pairs own;
    for (const auto &[low, high] : network) {
        EXPECT_EQ((high - low) % step, 0u);
        if (low % step == first) {
            own.emplace_back(low / step, high / step);
        }
    }
    return own;
}

// Two sorted lists of zeros and ones, the even and the odd numbers, in every way that there is.
bool merges(const pairs &network, uint32_t count) {
    const uint32_t evens = (count + 1) / 2, odds = count / 2;
    uint32_t lane = 0;
    std::vector<uint64_t> wires(count);
    for (uint32_t even_zeros = 0; even_zeros <= evens; ++even_zeros) {
        for (uint32_t odd_zeros = 0; odd_zeros <= odds; ++odd_zeros) {
            for (uint32_t i = 0; i < count; ++i) {
                const bool is_one = i / 2 >= (i % 2 == 0 ? even_zeros : odd_zeros);
                wires[i] |= uint64_t{is_one} << lane;
            }
            if (++lane == 64) {
                if (!sorts(network, wires)) {
                    return false;
                }
                wires.assign(count, 0);
                lane = 0;
            }
        }
    }
    return sorts(network, wires);
}

// A stage merges, for any numbers, if it merges zeros and ones (the 0-1 principle). Before the
// first stage each number is alone; after the last all are in order.
TEST(Sorting, EveryStageOfEveryLengthMerges) {
    for (uint32_t count = 1; count <= SOTTO_COORDINATES_MAX; ++count) {
        ASSERT_GE(2 * sotto::first_step(count), count);
        for (uint32_t step = sotto::first_step(count); step > 0; step /= 2) {
            const pairs network = stage(count, step);
            for (uint32_t first = 0; first < std::min(step, count); ++first) {
                ASSERT_TRUE(merges(of_class(network, step, first), (count - first - 1) / step + 1))
                    << count << " numbers, " << step << " apart from " << first << " on";
            }
        }
    }
}

// The control: no pair of a stage may be left out.
TEST(Sorting, EveryPairIsNeeded) {
    for (uint32_t count = 2; count <= 40; ++count) {
        const pairs network = stage(count, 1);
        for (size_t without = 0; without < network.size(); ++without) {
            pairs less = network;
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(without));
            EXPECT_FALSE(merges(less, count)) << count << ' ' << without;
        }
    }
}

std::vector<uint32_t> expected(const std::vector<uint32_t> &numbers) {
    std::vector<uint32_t> by_value = numbers;
    std::sort(by_value.begin(), by_value.end(), [](uint32_t a, uint32_t b) {
        return static_cast<int32_t>(a) < static_cast<int32_t>(b);
    });
    return by_value;
}

TEST(Sorting, EveryOrderOfAFewNumbersIsSorted) {
    for (uint32_t count = 0; count <= 16; ++count) {
        for (uint32_t ones = 0; ones < 1u << count; ++ones) {
            std::vector<uint32_t> numbers(count);
            for (uint32_t i = 0; i < count; ++i) {
                numbers[i] = (ones >> i & 1) != 0 ? 5u : 0u - 5u;
            }
            std::vector<uint32_t> sorted = numbers;
            sotto::sort_signed(sorted.data(), count);
            ASSERT_EQ(sorted, expected(numbers));
        }
    }
}

TEST(Sorting, NumbersOfEverySizeAreSorted) {
    std::mt19937 random(5);
    const std::vector<uint32_t> ends = {0x80000000u, 0x7fffffffu, 0, 1, 0xffffffffu};
    for (uint32_t count = 1; count <= SOTTO_COORDINATES_MAX; ++count) {
        std::vector<uint32_t> numbers(count);
        for (uint32_t &number : numbers) {
            const auto drawn = static_cast<uint32_t>(random());
            number = drawn % 3 == 0 ? ends[drawn / 3 % ends.size()] : drawn;
        }
        std::vector<uint32_t> sorted = numbers;
        sotto::sort_signed(sorted.data(), count);
        EXPECT_EQ(sorted, expected(numbers)) << count;
    }
}

} // namespace
