// SPDX-License-Identifier: Apache-2.0
// Pad and sample: each place that may be drawn of a set, by hand; sets and tables that are refused.
// A mean by windows: its bins, and its steps forward.
#include "client/internal.hpp"
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "metrics.h"

#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace {

using namespace sotto;
using namespace sotto::device;

const sotto_metric &alarms() { return *find(every_registry, EVERY_ALARMS); }
const sotto_metric &warmth() { return *find(every_registry, EVERY_WARMTH); }

using bytes8 = std::array<uint8_t, 8>;

// The least number whose share of `parts` is `part`, low byte first.
bytes8 number_in(uint32_t part, uint32_t parts) {
    __extension__ using wide = unsigned __int128;
    const auto least = static_cast<uint64_t>(((wide{part} << 64) + parts - 1) / parts);
    bytes8 bytes{};
    for (unsigned i = 0; i < 8; ++i) {
        bytes[i] = static_cast<uint8_t>(least >> 8 * i);
    }
    return bytes;
}

// A set of up to three of five, where answers name one element or two.
struct sampler {
    explicit sampler(uint8_t named) : metric(alarms()), table(*alarms().table.pad_and_sample) {
        table.size = 5;
        table.max_members = 3;
        table.named = named;
        metric.table.pad_and_sample = &table;
    }
    sampler(const sampler &) = delete;
    sampler &operator=(const sampler &) = delete;

    uint32_t ways() const { return 3; } // places, and pairs of them
    uint32_t told(const std::vector<uint16_t> &members, uint32_t way, uint32_t *word) const {
        bytes8 random = number_in(way, ways());
        return metric.code->encode(metric, {members.data(), members.size(), random.data()}, word);
    }
    std::multiset<uint32_t> words(const std::vector<uint16_t> &members, uint32_t note = 0) const {
        std::multiset<uint32_t> found;
        for (uint32_t way = 0; way < ways(); ++way) {
            uint32_t word = 0;
            EXPECT_EQ(told(members, way, &word), note);
            found.insert(word);
        }
        return found;
    }

    sotto_metric metric;
    sotto_pad_and_sample table;
};

using words = std::multiset<uint32_t>;

TEST(PadAndSample, DrawsEachElementOfThePaddedSet) {
    const sampler s(1);
    EXPECT_EQ(s.words({}), words({5, 6, 7}));
    EXPECT_EQ(s.words({4}), words({4, 6, 7}));
    EXPECT_EQ(s.words({4, 0}), words({0, 4, 7}));
    EXPECT_EQ(s.words({4, 0, 2}), words({0, 2, 4}));
}

// Pair a < b is answer b (b - 1) / 2 + a.
TEST(PadAndSample, DrawsEachPairOfThePaddedSet) {
    const sampler s(2);
    EXPECT_EQ(s.metric.code->size(s.metric), 28u);
    EXPECT_EQ(s.words({}), words({15 + 5, 21 + 5, 21 + 6}));
    EXPECT_EQ(s.words({1}), words({15 + 1, 21 + 1, 21 + 6}));
    EXPECT_EQ(s.words({4, 0, 2}), words({0 + 6, 1 + 0, 6 + 2}));
    EXPECT_EQ(s.words({0, 2, 4}), s.words({4, 0, 2})) << "whatever their order";
}

// A member that is there twice would be drawn twice as often: epsilon has no room for that.
TEST(PadAndSample, AMemberThatComesAgainGivesWayToADummy) {
    for (const uint8_t named : {uint8_t{1}, uint8_t{2}}) {
        const sampler s(named);
        const std::vector<uint16_t> twice = {3, 3}, thrice = {3, 3, 3}, apart = {3, 1, 3};
        for (const auto &members : {twice, thrice, apart}) {
            const words found = s.words(members, SOTTO_VALUE_REPEATED_MEMBER);
            EXPECT_EQ(std::set<uint32_t>(found.begin(), found.end()).size(), found.size());
        }
    }
    const sampler s(1);
    EXPECT_EQ(s.words({3, 3}, SOTTO_VALUE_REPEATED_MEMBER), words({3, 6, 7}));
}

TEST(PadAndSample, TooManyAndUnknownMembers) {
    const sampler s(1);
    EXPECT_EQ(s.words({4, 0, 2, 1}, SOTTO_VALUE_TOO_MANY), words({0, 2, 4}));
    for (uint32_t way = 0; way < s.ways(); ++way) {
        uint32_t word = 0;
        const auto refused = static_cast<uint32_t>(SOTTO_ERR_NO_SUCH_VALUE);
        EXPECT_EQ(s.told({0, 5}, way, &word), refused) << "a dummy is no member";
        EXPECT_EQ(s.told({0xffff}, way, &word), refused);
    }
}

TEST(PadAndSample, TablesThatHideNothingOrAreNoneAreRefused) {
    static constexpr sotto_threshold zero = {{0, 0}}, highest = {{0xfffffffeu, 0xffffffffu}};
    const auto is_sound = [](const std::function<void(sotto_pad_and_sample &)> &damage) {
        sampler s(2);
        damage(s.table);
        return s.metric.code->is_sound(s.metric);
    };
    const std::array<sotto_threshold, 3> silent = {highest, highest, highest};
    const std::array<sotto_threshold, 3> mute = {zero, alarms().table.pad_and_sample->keep[1],
                                                 alarms().table.pad_and_sample->keep[2]};
    EXPECT_TRUE(is_sound([](sotto_pad_and_sample &) {}));
    EXPECT_FALSE(is_sound([&](sotto_pad_and_sample &t) { t.keep = silent.data(); }));
    EXPECT_FALSE(is_sound([&](sotto_pad_and_sample &t) { t.keep = mute.data(); }));
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.keep = nullptr; }));
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.named = 0; }));
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.named = 3; }));
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.max_members = 0; }));
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.max_members = 1; })) << "no pair";
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.max_members = 6; }));
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.size = 1; }));
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.size = 1025; }));
    EXPECT_TRUE(is_sound([](sotto_pad_and_sample &t) { t.size = 359; }));
    EXPECT_FALSE(is_sound([](sotto_pad_and_sample &t) { t.size = 360; })) << "65,703 pairs";
}

// Each number becomes one of the two bins beside it, the nearer more often.
TEST(WindowMean, RoundsToTheBinsBesideANumber) {
    const sotto_window_mean &table = *warmth().table.window_mean;
    const auto bin_of = [](int32_t value, const bytes8 &random, uint32_t note = 0) {
        bytes8 copy = random;
        uint32_t word = 0;
        EXPECT_EQ(warmth().code->encode(warmth(), {&value, 1, copy.data()}, &word), note);
        return word;
    };
    constexpr bytes8 least = {}, most = {255, 255, 255, 255, 255, 255, 255, 255};
    for (int32_t value = table.min; value <= table.max; ++value) {
        const double place =
            (value - table.min) * static_cast<double>(table.scale) * (table.bins - 1) / 4294967296;
        const auto below = static_cast<uint32_t>(place);
        EXPECT_EQ(bin_of(value, most), below) << value;
        EXPECT_EQ(bin_of(value, least), below + (place > below ? 1 : 0)) << value;
        const auto part = static_cast<uint32_t>((place - below) * 4294967296);
        const bytes8 under = {static_cast<uint8_t>(part - 2), static_cast<uint8_t>((part - 2) >> 8),
                              static_cast<uint8_t>((part - 2) >> 16),
                              static_cast<uint8_t>((part - 2) >> 24)};
        const bytes8 over = {static_cast<uint8_t>(part + 2), static_cast<uint8_t>((part + 2) >> 8),
                             static_cast<uint8_t>((part + 2) >> 16),
                             static_cast<uint8_t>((part + 2) >> 24)};
        if (value > table.min) {
            EXPECT_EQ(bin_of(value, under), below + 1) << value;
            EXPECT_EQ(bin_of(value, over), below) << value;
        }
    }
    EXPECT_EQ(bin_of(table.min - 9, most, SOTTO_VALUE_CLAMPED), 0u);
    EXPECT_EQ(bin_of(table.max + 9, least, SOTTO_VALUE_CLAMPED), table.bins - 1u);
}

TEST(WindowMean, AStepForwardGoesByWhetherTheLastAnswerIsInTheWindow) {
    const sotto_window_mean &table = *warmth().table.window_mean;
    const sotto_forward_support &step = warmth().forward.support[0];
    ASSERT_LT(step.keep_last[0].limb[1], step.keep_last[1].limb[1]);
    ASSERT_GT(step.keep_last[1].limb[0], 0u) << "no number is between";
    const uint32_t answers = table.bins + 2u * table.half;
    for (uint32_t bin = 0; bin < table.bins; ++bin) {
        for (uint32_t last = 0; last < answers; ++last) {
            const uint32_t other = (last + 1) % answers;
            std::array<uint8_t, 32> random{};
            for (unsigned i = 0; i < 4; ++i) { // below one chance to stay, above the other
                random[4 + i] = static_cast<uint8_t>(step.keep_last[1].limb[1] >> 8 * i);
            }
            std::fill_n(random.begin() + 8, 8, uint8_t{255}); // any answer: `other`
            const bytes8 place = number_in(other, answers);
            std::copy(place.begin(), place.end(), random.begin() + 16);
            uint32_t word = 0;
            ASSERT_EQ(
                draw_forward(warmth(), 0, 0, last, bin, {random.data(), random.size()}, &word),
                SOTTO_OK);
            EXPECT_EQ(word, last >= bin && last <= bin + 2u * table.half ? last : other);
        }
    }
}

TEST(WindowMean, TablesThatHideNothingOrAreNoneAreRefused) {
    static constexpr sotto_threshold highest = {{0xfffffffeu, 0xffffffffu}};
    const auto is_sound = [](const std::function<void(sotto_window_mean &)> &damage) {
        sotto_window_mean other = *warmth().table.window_mean;
        damage(other);
        sotto_metric m = warmth();
        m.table.window_mean = &other;
        return m.code->is_sound(m);
    };
    const std::array<sotto_threshold, 3> silent = {highest, highest, highest};
    EXPECT_TRUE(is_sound([](sotto_window_mean &) {}));
    EXPECT_FALSE(is_sound([&](sotto_window_mean &t) { t.keep = silent.data(); }));
    EXPECT_FALSE(is_sound([](sotto_window_mean &t) { t.keep = nullptr; }));
    EXPECT_FALSE(is_sound([](sotto_window_mean &t) { t.max = t.min; }));
    EXPECT_FALSE(is_sound([](sotto_window_mean &t) { ++t.scale; }));
    EXPECT_FALSE(is_sound([](sotto_window_mean &t) { t.bins = 1; }));
    EXPECT_FALSE(is_sound([](sotto_window_mean &t) { t.bins = 1025; }));
    EXPECT_FALSE(
        is_sound([](sotto_window_mean &t) { t.half = static_cast<uint16_t>(t.bins + 1); }));
}

} // namespace
