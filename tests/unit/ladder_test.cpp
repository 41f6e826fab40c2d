// SPDX-License-Identifier: Apache-2.0
// Properties of every mechanism, over every metric of tests/mechanisms.toml.
#include "../mechanisms.hpp"
#include "metrics.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <random>
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
        unknown = m;
        unknown.code = nullptr;
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

// Whether a level can be had from what a higher one published.
bool is_way_down(const sotto_metric &m, uint32_t from, uint32_t target) {
    for (uint32_t level = target; level < from; ++level) {
        if (!sotto::test::mechanism_of(m).is_from_published(m, level)) {
            return false;
        }
    }
    return target < from && from < m.level_count;
}

TEST(Tighten, GoesDownOverAnyNumberOfLevelsAndNoWayElse) {
    const std::vector<uint8_t> random(4096, 0x5a);
    int ways = 0, none = 0;
    for_each_level([&](const sotto_metric &m, uint32_t from) {
        for (uint32_t target = 0; target <= m.level_count; ++target) {
            const size_t size = sotto::tighten_bytes(m, from, target);
            const auto tighten = [&](const sotto_metric &metric, uint32_t index, size_t given) {
                uint32_t word = poison;
                const sotto_status status = sotto::tighten_word(metric, from, target, index, 1,
                                                                {random.data(), given}, &word);
                EXPECT_TRUE(status == SOTTO_OK || word == 0) << "an error leaves nothing readable";
                return status;
            };
            if (!is_way_down(m, from, target)) {
                ++none;
                EXPECT_EQ(size, 0u) << m.id << ' ' << from << ' ' << target;
                EXPECT_EQ(tighten(m, 0, random.size()), SOTTO_ERR_ARGUMENT) << m.id;
                continue;
            }
            ++ways;
            EXPECT_EQ(tighten(m, 0, size), SOTTO_OK) << m.id;
            EXPECT_EQ(tighten(m, 0, size - 1), SOTTO_ERR_ARGUMENT) << m.id;
            EXPECT_EQ(tighten(m, m.value_words, size), SOTTO_ERR_ARGUMENT) << m.id;
            sotto_metric unknown = m;
            unknown.mechanism = 99;
            EXPECT_EQ(tighten(unknown, 0, random.size()), SOTTO_ERR_REGISTRY);
        }
    });
    EXPECT_GT(ways, 20);
    EXPECT_GT(none, 20);
}

// One call over several levels is what a call for each of them makes of the same bytes, in any
// word.
TEST(Tighten, IsAStepForEachLevel) {
    std::mt19937 noise(7);
    for_each_level([&](const sotto_metric &m, uint32_t from) {
        for (uint32_t target = 0; target < from; ++target) {
            if (!is_way_down(m, from, target)) {
                continue;
            }
            std::vector<uint8_t> random(sotto::tighten_bytes(m, from, target));
            for (uint8_t &byte : random) {
                byte = static_cast<uint8_t>(noise());
            }
            for (uint32_t index = 0; index < m.value_words; ++index) {
                uint32_t at_once = 0, stepwise = 1;
                ASSERT_EQ(sotto::tighten_word(m, from, target, index, 1,
                                              {random.data(), random.size()}, &at_once),
                          SOTTO_OK);
                size_t used = 0;
                for (uint32_t level = from; level-- > target;) {
                    ASSERT_EQ(sotto::tighten_word(m, level + 1, level, index, stepwise,
                                                  {random.data() + used, random.size() - used},
                                                  &stepwise),
                              SOTTO_OK);
                    used += sotto::tighten_bytes(m, level + 1, level);
                }
                EXPECT_EQ(used, random.size());
                EXPECT_EQ(at_once, stepwise) << m.id << ' ' << from << ' ' << target;
            }
        }
    });
}

TEST(Forward, RefusesWhatIsNotInTheTable) {
    const std::vector<uint8_t> random(1024, 0x5a);
    int steps = 0;
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        const sotto_metric &m = every_registry.metrics[i];
        const auto draw = [&](const sotto_metric &metric, uint32_t step, uint32_t index,
                              size_t size) {
            uint32_t word = poison;
            const sotto_status status =
                sotto::draw_forward(metric, step, index, 1, 1, {random.data(), size}, &word);
            EXPECT_TRUE(status == SOTTO_OK || word == 0) << "an error leaves nothing readable";
            return status;
        };
        EXPECT_EQ(sotto::forward_bytes(m, m.forward_count), 0u);
        EXPECT_EQ(draw(m, m.forward_count, 0, 1024), SOTTO_ERR_ARGUMENT) << m.id;
        for (uint32_t step = 0; step < m.forward_count; ++step) {
            ++steps;
            const size_t size = sotto::forward_bytes(m, step);
            EXPECT_GT(size, 0u) << m.id;
            EXPECT_LE(size, m.random_bytes) << m.id;
            EXPECT_EQ(draw(m, step, 0, size), SOTTO_OK) << m.id;
            EXPECT_EQ(draw(m, step, 0, size - 1), SOTTO_ERR_ARGUMENT) << m.id;
            EXPECT_EQ(draw(m, step, m.value_words, 1024), SOTTO_ERR_ARGUMENT) << m.id;
            sotto_metric unknown = m;
            unknown.mechanism = 99;
            EXPECT_EQ(draw(unknown, step, 0, 1024), SOTTO_ERR_REGISTRY) << m.id;
            unknown = m;
            unknown.forward_code = nullptr;
            EXPECT_EQ(draw(unknown, step, 0, 1024), SOTTO_ERR_REGISTRY) << m.id;
        }
    }
    EXPECT_GT(steps, 5);
}

} // namespace
