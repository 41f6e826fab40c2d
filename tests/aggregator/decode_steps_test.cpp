// SPDX-License-Identifier: Apache-2.0
// The cost of decoding a list of candidates, in steps: the statistics are compiled so that each
// basic block counts.
#include "rappor_fleet.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace {

std::uint64_t blocks = 0;

} // namespace

extern "C" void __sanitizer_cov_trace_pc() { ++blocks; }

namespace sotto::aggregator::test {
namespace {

class DecodeSteps : public testing::Test {
  protected:
    // One fleet, in which twenty strings are frequent, decoded with so many candidates.
    std::uint64_t steps(std::size_t candidates) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < candidates; ++i) {
            names.push_back("name" + std::to_string(i));
        }
        blocks = 0;
        const candidate_fit fit =
            estimate_rappor(std::array{counts_}, std::array{channel_}, shape_, bloom_, names);
        const auto detected = std::ranges::count_if(
            fit.candidates, [](const candidate_estimate &candidate) { return candidate.detected; });
        EXPECT_GE(detected, 15);
        EXPECT_LE(detected, 25);
        EXPECT_EQ(fit.screened, candidates > screened_from);
        return blocks;
    }

    static std::vector<held> fleet() {
        std::vector<held> devices;
        for (int i = 0; i < 20; ++i) {
            devices.push_back({"name" + std::to_string(i), 4000});
        }
        return devices;
    }

    rappor_shape shape_ = {64, 2, 32};
    std::size_t screened_from = most_without_screen(shape_, shape_.cohorts);
    bit_channel channel_ = {0.25, 0.75};
    bloom_function bloom_ = bloom_of(shape_);
    generator random_{21};
    std::vector<cohort_count> counts_ = round_of(random_, fleet(), shape_, channel_, bloom_);
};

TEST_F(DecodeSteps, OfScreenedListsGrowWithTheListAndNoFaster) {
    const std::uint64_t few = steps(1100);
    EXPECT_GT(few, 1100 * 20u) << "nothing is counted";
    EXPECT_LE(steps(2200), 2 * few);
    EXPECT_LE(steps(4400), 4 * few);
}

// A list without a screen is fitted at once, by the square and more: so it is no longer than 1,000.
TEST_F(DecodeSteps, AreMostForTheLongestListWithoutAScreen) {
    ASSERT_EQ(screened_from, 1000u);
    const std::uint64_t most = steps(1000);
    EXPECT_LT(steps(8800), most);
    EXPECT_GT(most, 3 * steps(500)) << "the control: steps tell of more than linear work";
}

} // namespace
} // namespace sotto::aggregator::test
