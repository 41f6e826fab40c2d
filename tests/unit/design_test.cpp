// SPDX-License-Identifier: Apache-2.0
// Design response: every place of every category's answers, by hand; tables that are refused.
#include "client/internal.hpp"
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "metrics.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace sotto;
using namespace sotto::device;

const sotto_metric &phase() { return *find(every_registry, EVERY_PHASE_DESIGN); }
const sotto_design &table() { return *phase().table.design; }

// The least number whose share of `parts` is `part`, low byte first.
std::array<uint8_t, 8> number_in(uint32_t part, uint32_t parts) {
    __extension__ using wide = unsigned __int128;
    const auto least = static_cast<uint64_t>(((wide{part} << 64) + parts - 1) / parts);
    std::array<uint8_t, 8> bytes{};
    for (unsigned i = 0; i < 8; ++i) {
        bytes[i] = static_cast<uint8_t>(least >> 8 * i);
    }
    return bytes;
}

std::vector<uint8_t> joined(const std::vector<std::array<uint8_t, 8>> &numbers) {
    std::vector<uint8_t> bytes;
    for (const auto &number : numbers) {
        bytes.insert(bytes.end(), number.begin(), number.end());
    }
    return bytes;
}

constexpr std::array<uint8_t, 8> least = {}, most = {255, 255, 255, 255, 255, 255, 255, 255};

bool supports(uint32_t answer, uint32_t category) {
    bool found = false;
    for (uint32_t j = 0; j < table().count; ++j) {
        found |= (answer + category) % table().answers == table().design[j];
    }
    return found;
}

TEST(Design, TheTopDrawsEachAnswerThatSupportsTheCategory) {
    const uint32_t top = phase().level_count - 1u, size = table().answers;
    for (uint32_t category = 0; category < table().size; ++category) {
        for (uint32_t j = 0; j < table().count; ++j) {
            const auto place = number_in(j, table().count);
            const auto kept = joined({least, most, place});
            uint32_t word = 0;
            ASSERT_EQ(draw_word(phase(), top, 0, category, {kept.data(), kept.size()}, &word),
                      SOTTO_OK);
            EXPECT_EQ(word, (table().design[j] + size - category) % size);
            const auto any = joined({most, number_in(4, size), place});
            ASSERT_EQ(draw_word(phase(), top, 0, category, {any.data(), any.size()}, &word),
                      SOTTO_OK);
            EXPECT_EQ(word, 4u);
        }
    }
}

// A last answer stays with the probability of those that support the category, or of the others.
TEST(Design, AStepForwardGoesByWhatTheLastAnswerSupports) {
    const sotto_forward_support &step = phase().forward.support[0];
    ASSERT_LT(step.keep_last[0].limb[1], step.keep_last[1].limb[1]);
    std::array<uint8_t, 8> between{};
    for (unsigned i = 0; i < 4; ++i) {
        between[4 + i] = static_cast<uint8_t>(step.keep_last[1].limb[1] >> 8 * i);
    }
    ASSERT_GT(step.keep_last[1].limb[0], 0u) << "no number is between";
    for (uint32_t category = 0; category < table().size; ++category) {
        for (uint32_t last = 0; last < table().answers; ++last) {
            const uint32_t other = (last + 1) % table().answers;
            const auto random = joined({between, most, number_in(other, table().answers), least});
            uint32_t word = 0;
            ASSERT_EQ(
                draw_forward(phase(), 0, 0, last, category, {random.data(), random.size()}, &word),
                SOTTO_OK);
            EXPECT_EQ(word, supports(last, category) ? last : other);
        }
    }
}

TEST(Design, ValuesAreCategoriesAndNoAnswers) {
    ASSERT_LT(table().size, table().answers);
    uint32_t word = 0;
    for (uint32_t value = 0; value <= table().answers; ++value) {
        const uint32_t status = phase().code->encode(phase(), {&value, 1, nullptr}, &word);
        EXPECT_EQ(status == 0, value < table().size) << value;
    }
}

TEST(Design, TablesThatHideNothingOrAreNoneAreRefused) {
    static constexpr sotto_threshold zero = {{0, 0}}, highest = {{0xfffffffeu, 0xffffffffu}};
    const auto is_sound = [](const std::function<void(sotto_design &)> &damage) {
        sotto_design other = table();
        damage(other);
        sotto_metric m = phase();
        m.table.design = &other;
        return m.code->is_sound(m);
    };
    EXPECT_TRUE(is_sound([](sotto_design &) {}));
    const std::array<sotto_threshold, 3> silent = {highest, highest, highest};
    const std::array<sotto_threshold, 3> mute = {zero, table().keep[1], table().keep[2]};
    EXPECT_FALSE(is_sound([&](sotto_design &t) { t.keep = silent.data(); }));
    EXPECT_FALSE(is_sound([&](sotto_design &t) { t.keep = mute.data(); }));
    EXPECT_FALSE(is_sound([](sotto_design &t) { t.keep = nullptr; }));
    EXPECT_FALSE(is_sound([](sotto_design &t) { t.design = nullptr; }));
    const std::array<uint16_t, 3> twice = {1, 1, 2}, falling = {2, 1, 6}, beyond = {1, 2, 7};
    for (const auto *set : {&twice, &falling, &beyond}) {
        EXPECT_FALSE(is_sound([&](sotto_design &t) { t.design = set->data(); }));
    }
    EXPECT_FALSE(is_sound([](sotto_design &t) { t.count = 1; }));
    EXPECT_FALSE(is_sound([](sotto_design &t) { t.size = 1; }));
    EXPECT_FALSE(is_sound([](sotto_design &t) { t.size = static_cast<uint16_t>(t.answers + 1); }));
}

TEST(Design, StepsThatHideNothingAreRefused) {
    static constexpr sotto_threshold zero = {{0, 0}}, highest = {{0xfffffffeu, 0xffffffffu}};
    const auto are_sound = [](const std::function<void(sotto_forward_support &)> &damage) {
        sotto_forward_support step = phase().forward.support[0];
        damage(step);
        sotto_metric m = phase();
        m.forward.support = &step;
        return m.forward_code->is_sound(m);
    };
    EXPECT_TRUE(are_sound([](sotto_forward_support &) {}));
    EXPECT_FALSE(are_sound([](sotto_forward_support &s) { s.keep_last[0] = highest; }));
    EXPECT_FALSE(are_sound([](sotto_forward_support &s) { s.keep_last[1] = highest; }));
    EXPECT_FALSE(are_sound([](sotto_forward_support &s) { s.keep = highest; }));
    EXPECT_FALSE(are_sound([](sotto_forward_support &s) { s.keep = zero; }));
}

} // namespace
