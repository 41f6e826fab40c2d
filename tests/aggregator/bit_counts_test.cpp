// SPDX-License-Identifier: Apache-2.0
// Every kernel against one bit at a time, for every width and past every overflow.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/tally/bit_counts.hpp"

#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {
namespace {

struct counts {
    std::vector<std::uint64_t> ones, reports;
    bool operator==(const counts &) const = default;
};

class Kernels : public testing::TestWithParam<vector_kernel> {
  protected:
    void SetUp() override {
        if (!is_supported(GetParam())) {
            GTEST_SKIP() << "this machine does not have it";
        }
    }

    // Twice as many rows as given, by the kernel and one by one.
    static void compare(std::size_t cohorts, std::size_t bits, std::size_t rows, unsigned density) {
        const std::size_t bytes = (bits + 7) / 8, width = bytes + 2;
        std::mt19937 random(static_cast<unsigned>(bits));
        constexpr std::size_t front = 8;
        std::vector<std::uint8_t> memory(front + rows * width, 0xff);
        std::vector<const std::uint8_t *> pointers;
        counts expected{std::vector<std::uint64_t>(cohorts * bits),
                        std::vector<std::uint64_t>(cohorts)};
        for (std::size_t r = 0; r < rows; ++r) {
            std::uint8_t *row = &memory[front + r * width];
            std::fill_n(row, width, std::uint8_t{0});
            const auto cohort = static_cast<std::uint16_t>(random() % cohorts);
            put_big_endian(row, cohort);
            expected.reports[cohort] += 2;
            for (std::size_t i = 0; i < bytes * 8; ++i) {
                const bool bit = random() % 100 < density;
                row[2 + i / 8] = static_cast<std::uint8_t>(row[2 + i / 8] | bit << i % 8);
                if (bit && i < bits) {
                    expected.ones[cohort * bits + i] += 2;
                }
            }
            pointers.push_back(row + 2);
        }
        bit_counts counted(cohorts, bits, GetParam());
        counts found{std::vector<std::uint64_t>(cohorts * bits),
                     std::vector<std::uint64_t>(cohorts)};
        counted.add(pointers);
        counted.move_to(found.ones, found.reports);
        counted.add(std::span(pointers).first(rows / 3));
        counted.add(std::span(pointers).subspan(rows / 3));
        counted.move_to(found.ones, found.reports);
        EXPECT_EQ(found, expected) << cohorts << " cohorts, " << bits << " bits, " << rows;
    }
};

TEST_P(Kernels, CountEveryWidth) {
    for (std::size_t bits = 1; bits <= 140; ++bits) {
        compare(3, bits, 40, 50);
    }
    for (std::size_t bits = 1; bits <= 1024; bits += bits < 140 ? 1 : 17) {
        compare(1, bits, 300, 50);
    }
    compare(1, 1024, 700, 50);
    compare(1024, 1023, 300, 50);
}

TEST_P(Kernels, NeverOverflow) {
    for (const std::size_t rows : {253u, 254u, 255u, 256u, 257u, 509u, 510u, 511u, 5000u}) {
        compare(1, 128, rows, 100);
        compare(2, 65, rows, 100);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Kernels,
                         testing::Values(vector_kernel::portable, vector_kernel::avx2,
                                         vector_kernel::avx512));

} // namespace
} // namespace sotto::aggregator::test
