// SPDX-License-Identifier: Apache-2.0
// What every mechanism has in common, over every metric of tests/mechanisms.toml.
#include "mechanism/ladder.hpp"

#include "metrics.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace {

constexpr uint32_t poison = 0xdeadbeefu;

template <typename Visit> void for_each_level(Visit visit) {
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        for (uint32_t level = 0; level < every_registry.metrics[i].level_count; ++level) {
            visit(every_registry.metrics[i], level);
        }
    }
}

TEST(Ladder, RandomBytesFitWhatTheTableSays) {
    for_each_level([](const sotto_metric &m, uint32_t level) {
        EXPECT_GT(m.random_bytes, 0u) << m.id;
        EXPECT_LE(sotto::level_bytes(m, level), m.random_bytes) << m.id << ' ' << level;
        EXPECT_EQ(sotto::level_bytes(m, m.level_count), 0u);
    });
}

TEST(Ladder, RefusesWhatIsNotInTheTable) {
    const std::vector<uint8_t> random(1024, 0x5a);
    for_each_level([&](const sotto_metric &m, uint32_t level) {
        const auto draw = [&](const sotto_metric &metric, uint32_t l, uint32_t index, size_t size) {
            uint32_t word = poison;
            const sotto_status status =
                sotto::draw_word(metric, l, index, 1, {random.data(), size}, &word);
            EXPECT_TRUE(status == SOTTO_OK || word == 0) << "an error leaves nothing readable";
            return status;
        };
        const size_t size = sotto::level_bytes(m, level);
        EXPECT_EQ(draw(m, level, 0, size), SOTTO_OK) << m.id;
        if (size > 0) {
            EXPECT_EQ(draw(m, level, 0, size - 1), SOTTO_ERR_ARGUMENT)
                << m.id << ": span too short";
        }
        EXPECT_EQ(draw(m, m.level_count, 0, 1024), SOTTO_ERR_ARGUMENT) << m.id;
        EXPECT_EQ(draw(m, level, m.value_words, 1024), SOTTO_ERR_ARGUMENT) << m.id;
        sotto_metric unknown = m;
        unknown.mechanism = 99;
        EXPECT_EQ(draw(unknown, level, 0, 1024), SOTTO_ERR_REGISTRY);
    });
}

// A draw reads its own bytes only: what lies behind them changes nothing.
TEST(Ladder, ReadsNoMoreThanItsBytes) {
    for_each_level([](const sotto_metric &m, uint32_t level) {
        const size_t size = sotto::level_bytes(m, level);
        std::vector<uint8_t> a(size + 16, 0x3c), b = a;
        for (size_t i = size; i < b.size(); ++i) {
            b[i] = 0xff;
        }
        for (uint32_t from = 0; from < 3; ++from) {
            uint32_t x = 0, y = 0;
            ASSERT_EQ(sotto::draw_word(m, level, 0, from, {a.data(), a.size()}, &x), SOTTO_OK);
            ASSERT_EQ(sotto::draw_word(m, level, 0, from, {b.data(), b.size()}, &y), SOTTO_OK);
            EXPECT_EQ(x, y) << m.id << ' ' << level;
        }
    });
}

} // namespace
