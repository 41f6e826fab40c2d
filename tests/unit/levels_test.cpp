// SPDX-License-Identifier: Apache-2.0
// Levels of a release: relaxed along the ladder, and drawn forward above it.
#include "values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace {

using Levels = Values;

TEST_F(Levels, RelaxingNamesItsMistakes) {
    ASSERT_EQ(sotto_report_boolean(client, EVERY_FLAG, true), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, 999, 0, 1), SOTTO_ERR_UNKNOWN_METRIC);
    EXPECT_EQ(sotto_relax(client, EVERY_AIRCRAFT_BY_SEQUENCE, 0, 1), SOTTO_ERR_NO_LADDER);
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 0, 3), SOTTO_ERR_NO_SUCH_LEVEL);
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 1, 1), SOTTO_ERR_NO_RELEASE);
    EXPECT_EQ(sotto_relax(client, EVERY_PHASE, 0, 1), SOTTO_ERR_NO_RELEASE);
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 0, 0), SOTTO_ERR_LEVEL_NOT_ABOVE);
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 0, 2), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 0, 1), SOTTO_ERR_LEVEL_NOT_ABOVE) << "downward";
    EXPECT_EQ(sotto_pending(client), 2u);
    flush();
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 0, 2), SOTTO_ERR_LEVEL_NOT_ABOVE);
    ASSERT_EQ(sotto_report_boolean(client, EVERY_FLAG_UNIT_GRID, true), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, EVERY_FLAG_UNIT_GRID, 0, 2), SOTTO_OK);
    flush();
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG_UNIT_GRID, 0, 2), SOTTO_ERR_NO_RELEASE)
        << "its ladder has ended, and nothing is above it";
}

TEST_F(Levels, ExtendingNamesItsMistakes) {
    EXPECT_EQ(sotto_extend_boolean(client, EVERY_FLAG, 0, true), SOTTO_ERR_NO_RELEASE);
    ASSERT_EQ(sotto_report_boolean(client, EVERY_FLAG, true), SOTTO_OK);
    EXPECT_EQ(sotto_extend_boolean(client, EVERY_FLAG, 0, true), SOTTO_ERR_LEVELS_BELOW);
    ASSERT_EQ(sotto_relax(client, EVERY_FLAG, 0, 2), SOTTO_OK);
    EXPECT_EQ(sotto_extend_boolean(client, EVERY_FLAG, 0, true), SOTTO_ERR_LEVELS_BELOW) << "flush";
    flush();
    EXPECT_EQ(sotto_extend_category(client, EVERY_FLAG, 0, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_extend_boolean(client, EVERY_FLAG, 1, true), SOTTO_ERR_NO_RELEASE);
    EXPECT_EQ(sotto_extend_boolean(client, EVERY_FLAG, 0, true), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 0, 2), SOTTO_ERR_LEVEL_NOT_ABOVE);
    EXPECT_EQ(sotto_extend_boolean(client, EVERY_FLAG, 0, true), SOTTO_ERR_LEVELS_BELOW) << "flush";
    flush();
    EXPECT_EQ(sotto_extend_boolean(client, EVERY_FLAG, 0, true), SOTTO_OK);
    flush();
    EXPECT_EQ(sotto_extend_boolean(client, EVERY_FLAG, 0, true), SOTTO_ERR_NO_RELEASE) << "closed";
    ASSERT_EQ(sotto_report_category(client, EVERY_PHASE_RAPPOR, 1), SOTTO_OK);
    flush();
    EXPECT_EQ(sotto_extend_category(client, EVERY_PHASE_RAPPOR, 0, 1), SOTTO_ERR_NO_SUCH_LEVEL);
    EXPECT_EQ(sotto_relax(client, EVERY_PHASE_RAPPOR, 0, 2), SOTTO_ERR_NO_SUCH_LEVEL);
    EXPECT_EQ(sotto_relax(client, EVERY_PHASE_RAPPOR, 0, 1), SOTTO_OK) << "needs no value";
    const std::array<int32_t, 3> axes = {1, -2, 3};
    ASSERT_EQ(sotto_report_vector(client, EVERY_AXES, axes.data(), 3), SOTTO_OK);
    EXPECT_EQ(sotto_extend_vector(client, EVERY_AXES, 0, axes.data(), 3), SOTTO_ERR_LEVELS_BELOW);
    ASSERT_EQ(sotto_relax(client, EVERY_AXES, 0, 1), SOTTO_OK);
    flush();
    EXPECT_EQ(sotto_extend_vector(client, EVERY_AXES, 0, axes.data(), 2), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_extend_vector(client, EVERY_AXES, 0, axes.data(), 3), SOTTO_OK);
    ASSERT_EQ(sotto_report_integer(client, EVERY_SPEED_WITH_MARGIN, 1), SOTTO_OK);
    EXPECT_EQ(sotto_extend_integer(client, EVERY_SPEED_WITH_MARGIN, 0, 1), SOTTO_ERR_NO_SUCH_LEVEL);
}

TEST_F(Levels, TypedCallsReachAboveTheLadder) {
    fake_port other;
    const sotto_port its_port = other.port();
    every::client typed;
    const std::array<int32_t, 3> axes = {1, -2, 3};
    ASSERT_EQ(typed.init(its_port), SOTTO_OK);
    ASSERT_EQ(typed.advance(0), SOTTO_OK);
    ASSERT_EQ(typed.report(every::axes, axes.data(), axes.size()), SOTTO_OK);
    ASSERT_EQ(typed.relax(every::axes, 0, 1), SOTTO_OK);
    ASSERT_EQ(typed.flush(buffer.data(), buffer.size(), length), SOTTO_OK);
    ASSERT_EQ(typed.acknowledge(), SOTTO_OK);
    EXPECT_EQ(typed.extend(every::axes, 0, axes.data(), axes.size()), SOTTO_OK);
    ASSERT_EQ(typed.report(every::aircraft, "A320", 4), SOTTO_OK);
    EXPECT_EQ(typed.relax(every::aircraft, 0, 4), SOTTO_OK);
    EXPECT_EQ(typed.pending(), 3u);
}

// Every type that can be extended, over many epochs: the level above the ladder has the law that it
// would have alone. Its noise is therefore smaller than the top's by what the epsilons say.
TEST_F(Levels, ExtendingMakesMoreAccurate) {
    constexpr int measured = 3000;
    double top_flips = 0, next_flips = 0, top_keeps = 0, next_keeps = 0, top_error = 0,
           next_error = 0, top_off = 0, next_off = 0;
    std::array<double, 2> category_extra{}, set_extra{}, mean_ones{}; // at the top and above it
    const std::array<int32_t, 3> axes = {1, -2, 3};
    const auto off = [&](uint32_t epoch, uint32_t level) {
        double sum = 0;
        const std::vector<uint32_t> words = published(EVERY_AXES, epoch, level);
        for (size_t i = 0; i < axes.size(); ++i) {
            sum += std::abs(static_cast<int32_t>(words[i]) - axes[i]);
        }
        return sum;
    };
    const std::array<uint16_t, 2> members = {1, 4};
    const auto look = [&](uint32_t epoch, size_t above) {
        const auto level = static_cast<uint32_t>(2 + above);
        const auto bits = published(EVERY_PHASE_OPTIMIZED, epoch, level);
        category_extra[above] += std::popcount(bits[0]) + std::popcount(bits[1] & ~(1u << 5));
        set_extra[above] += std::popcount(published(EVERY_FAULTS, epoch, level)[0] & ~0x12u);
        mean_ones[above] += published(EVERY_TEMPERATURE, epoch, level)[0];
    };
    for (int k = 0; k < measured; ++k) {
        const auto epoch = static_cast<uint32_t>(k + 1);
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(client, EVERY_FLAG, true), SOTTO_OK);
        ASSERT_EQ(sotto_report_category(client, EVERY_PHASE, 3), SOTTO_OK);
        ASSERT_EQ(sotto_report_category(client, EVERY_PHASE_OPTIMIZED, 37), SOTTO_OK);
        ASSERT_EQ(sotto_report_set(client, EVERY_FAULTS, members.data(), 2), SOTTO_OK);
        ASSERT_EQ(sotto_report_integer(client, EVERY_SPEED, 150), SOTTO_OK);
        ASSERT_EQ(sotto_report_integer(client, EVERY_TEMPERATURE, 60), SOTTO_OK);
        ASSERT_EQ(sotto_report_vector(client, EVERY_AXES, axes.data(), 3), SOTTO_OK);
        ASSERT_EQ(sotto_relax(client, EVERY_AXES, epoch, 1), SOTTO_OK);
        for (const unsigned id : {EVERY_FLAG, EVERY_PHASE, EVERY_PHASE_OPTIMIZED, EVERY_FAULTS,
                                  EVERY_SPEED, EVERY_TEMPERATURE}) {
            ASSERT_EQ(sotto_relax(client, static_cast<uint16_t>(id), epoch, 2), SOTTO_OK);
        }
        top_flips += published(EVERY_FLAG, epoch, 2)[0] == 0;
        top_keeps += published(EVERY_PHASE, epoch, 2)[0] == 3;
        top_error += std::abs(static_cast<int32_t>(published(EVERY_SPEED, epoch, 2)[0]) - 150);
        top_off += off(epoch, 1);
        look(epoch, 0);
        flush();
        ASSERT_EQ(sotto_extend_boolean(client, EVERY_FLAG, epoch, true), SOTTO_OK);
        ASSERT_EQ(sotto_extend_vector(client, EVERY_AXES, epoch, axes.data(), 3), SOTTO_OK);
        ASSERT_EQ(sotto_extend_category(client, EVERY_PHASE, epoch, 3), SOTTO_OK);
        ASSERT_EQ(sotto_extend_category(client, EVERY_PHASE_OPTIMIZED, epoch, 37), SOTTO_OK);
        ASSERT_EQ(sotto_extend_set(client, EVERY_FAULTS, epoch, members.data(), 2), SOTTO_OK);
        ASSERT_EQ(sotto_extend_integer(client, EVERY_SPEED, epoch, 150), SOTTO_OK);
        ASSERT_EQ(sotto_extend_integer(client, EVERY_TEMPERATURE, epoch, 60), SOTTO_OK);
        next_off += off(epoch, 2);
        look(epoch, 1);
        next_flips += published(EVERY_FLAG, epoch, 3)[0] == 0;
        next_keeps += published(EVERY_PHASE, epoch, 3)[0] == 3;
        next_error += std::abs(static_cast<int32_t>(published(EVERY_SPEED, epoch, 3)[0]) - 150);
        flush();
    }
    // 1 / (1 + e^2) and 1 / (1 + e^3); seven standard deviations.
    EXPECT_NEAR(top_flips / measured, 0.1192, 0.042);
    EXPECT_NEAR(next_flips / measured, 0.0474, 0.028);
    // Kept or drawn again: e^4 / (e^4 + 4) and e^5 / (e^5 + 4).
    EXPECT_NEAR(top_keeps / measured, 0.9317, 0.033);
    EXPECT_NEAR(next_keeps / measured, 0.9738, 0.021);
    // Each of 39 false categories has 1 / (1 + e^4) and 1 / (1 + e^5). The set has 3 members at
    // most: each of 4 false members has 1 / (1 + e^(4 / 3)) and 1 / (1 + e^(5 / 3)).
    EXPECT_NEAR(category_extra[0] / (39 * measured), 0.01799, 0.0028);
    EXPECT_NEAR(category_extra[1] / (39 * measured), 0.00669, 0.0017);
    EXPECT_NEAR(set_extra[0] / (4 * measured), 0.2086, 0.026);
    EXPECT_NEAR(set_extra[1] / (4 * measured), 0.1589, 0.0234);
    EXPECT_LT(set_extra[1], 0.9 * set_extra[0]);
    // The greatest number is always rounded to one.
    EXPECT_NEAR(mean_ones[0] / measured, 0.8808, 0.042);
    EXPECT_NEAR(mean_ones[1] / measured, 0.9820, 0.017);
    EXPECT_LT(next_error, 0.75 * top_error) << "epsilon 4 against 2: about half";
    EXPECT_LT(next_off, 0.85 * top_off) << "the same of each number of a vector";
}

// Above the ladder too, the reports of a string have the law that their p and q say, given the
// permanent bits. They are the same whenever they are asked for; so are the levels below.
TEST_F(Levels, ReportsOfPermanentBitsAboveTheLadder) {
    constexpr int measured = 400;
    constexpr uint32_t top = 2;
    std::array<std::array<double, 2>, 3> ones{}; // by level from the top, by the permanent bit
    std::array<double, 2> bits{};
    for (uint32_t epoch = 1; epoch <= measured; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(report_string("B-737-300"), SOTTO_OK);
        const auto low = published(EVERY_AIRCRAFT, epoch, 0);
        flush();
        const uint32_t *permanent =
            sotto::device::release_words(*client, *release(EVERY_AIRCRAFT, epoch));
        for (uint32_t level = top; level < top + 3; ++level) {
            const auto words = published(EVERY_AIRCRAFT, epoch, level);
            for (size_t i = 0; i < 128; ++i) {
                const size_t z = permanent[i / 32] >> (i % 32) & 1;
                ones[level - top][z] += words[i / 32] >> (i % 32) & 1;
                bits[z] += level == top ? 1 : 0;
            }
        }
        const auto highest = published(EVERY_AIRCRAFT, epoch, 4);
        ASSERT_EQ(sotto_relax(client, EVERY_AIRCRAFT, epoch, 3), SOTTO_OK);
        flush();
        EXPECT_EQ(published(EVERY_AIRCRAFT, epoch, 4), highest);
        EXPECT_EQ(published(EVERY_AIRCRAFT, epoch, 0), low);
        EXPECT_EQ(sotto_relax(client, EVERY_AIRCRAFT, epoch, 5), SOTTO_ERR_NO_SUCH_LEVEL);
        ASSERT_EQ(sotto_relax(client, EVERY_AIRCRAFT, epoch, 4), SOTTO_OK);
        flush();
        EXPECT_EQ(sotto_relax(client, EVERY_AIRCRAFT, epoch, 4), SOTTO_ERR_NO_RELEASE) << "closed";
    }
    const std::array<double, 3> p = {0.375, 0.25, 0.125};
    for (size_t level = 0; level < 3; ++level) {
        ASSERT_GT(std::min(bits[0], bits[1]), 5000);
        // More than six standard deviations.
        EXPECT_NEAR(ones[level][0] / bits[0], p[level], 3.2 / std::sqrt(bits[0])) << level;
        EXPECT_NEAR(ones[level][1] / bits[1], 0.75, 3.2 / std::sqrt(bits[1])) << level;
    }
}

TEST_F(Levels, AReleaseIsTheSameWheneverItIsAsked) {
    ASSERT_EQ(report_string("B-737-300"), SOTTO_OK);
    ASSERT_EQ(sotto_report_integer(client, EVERY_SPEED, 200), SOTTO_OK);
    for (const unsigned id : {EVERY_AIRCRAFT, EVERY_SPEED}) {
        const auto i = static_cast<uint16_t>(id);
        const auto low = published(i, 0, 0), top = published(i, 0, 2), middle = published(i, 0, 1);
        flush();
        EXPECT_EQ(published(i, 0, 1), middle);
        EXPECT_EQ(published(i, 0, 0), low);
        EXPECT_EQ(published(i, 0, 2), top);
    }
}

} // namespace
