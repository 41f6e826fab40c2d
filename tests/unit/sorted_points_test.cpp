// SPDX-License-Identifier: Apache-2.0
// Points in order: what is published of them, and what is refused.
#include "mechanism/code.hpp"
#include "values.hpp"

#include <algorithm>
#include <functional>

namespace {

using points = std::vector<int32_t>;

class SortedPoints : public Values {
  protected:
    sotto_status report(const points &p) {
        return sotto_report_vector(client, EVERY_ORDERED, p.data(), p.size());
    }
    // A new device draws the same noise each time.
    static std::vector<uint32_t> first_published(const points &p) {
        fake_port own;
        const sotto_port with = own.port();
        every_client gateway{};
        EXPECT_EQ(every_init(&gateway, &with), SOTTO_OK);
        EXPECT_EQ(sotto_advance(&gateway.client, 0), SOTTO_OK);
        EXPECT_GE(sotto_report_vector(&gateway.client, EVERY_ORDERED, p.data(), p.size()), 0);
        std::vector<uint32_t> words(p.size());
        EXPECT_EQ(sotto::device::derive(gateway.client, gateway.state.releases[0], 0, words.data()),
                  SOTTO_OK);
        return words;
    }
    static points without_noise(const points &p) {
        const std::vector<uint32_t> noised = first_published(p), noise = first_published({0, 0, 0});
        points found;
        for (size_t i = 0; i < noised.size(); ++i) {
            found.push_back(static_cast<int32_t>(noised[i] - noise.at(i)));
        }
        return found;
    }
};

TEST_F(SortedPoints, AreTheSameInAnyOrder) {
    points order = {-3, 2, 7};
    do {
        EXPECT_EQ(without_noise(order), (points{-3, 2, 7}));
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(without_noise({1, -1, 1}), (points{-1, 1, 1}));
}

TEST_F(SortedPoints, AreClampedFirstAndTold) {
    EXPECT_EQ(without_noise({INT32_MAX, INT32_MIN, 9}), (points{-8, 8, 8}));
    EXPECT_EQ(report({0, 9, -8}), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(report({0, 8, -8}), SOTTO_ERR_ALREADY_REPORTED);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    EXPECT_EQ(report({0, 8, -8}), SOTTO_OK);
}

TEST_F(SortedPoints, BeginWithNoise) {
    ASSERT_EQ(report({0, 0, 0}), SOTTO_OK);
    const std::vector<uint32_t> first = published(EVERY_ORDERED, 0, 0);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(report({0, 0, 0}), SOTTO_OK);
    EXPECT_NE(published(EVERY_ORDERED, 1, 0), first);
}

// A point more or less would move all others by a place.
TEST_F(SortedPoints, AreAsManyAsTheRegistrySays) {
    EXPECT_EQ(report({1, 2}), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(report({1, 2, 3, 4}), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_report_vector(client, EVERY_ORDERED, nullptr, 3), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_pending(client), 0u);
    EXPECT_EQ(report({1, 2, 3}), SOTTO_OK);
}

TEST_F(SortedPoints, NameEachMistake) {
    const points three = {1, 2, 3};
    EXPECT_EQ(sotto_report_points(client, EVERY_ORDERED, three.data(), 3), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_quantile(client, EVERY_ORDERED, three.data(), 3), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_integer(client, EVERY_ORDERED, 1), SOTTO_ERR_WRONG_TYPE);
    ASSERT_EQ(report(three), SOTTO_OK);
    flush();
    EXPECT_EQ(sotto_relax(client, EVERY_ORDERED, 0, 0), SOTTO_ERR_NO_LADDER);
    EXPECT_EQ(sotto_extend_vector(client, EVERY_ORDERED, 0, three.data(), 3), SOTTO_ERR_NO_RELEASE);
}

TEST_F(SortedPoints, LeaveNothingBehind) {
    ASSERT_EQ(report({1, 2, 3}), SOTTO_OK);
    const auto is_zero = [](auto byte) { return byte == 0; };
    EXPECT_TRUE(std::all_of(std::begin(device.work), std::end(device.work), is_zero));
    EXPECT_TRUE(std::all_of(std::begin(device.random), std::end(device.random), is_zero));
}

// Tables that hide less than they say, or write where they must not.
TEST_F(SortedPoints, TablesAreChecked) {
    const sotto_metric good = *sotto::device::find(every_registry, EVERY_ORDERED);
    const auto is_sound =
        [&](const std::function<void(sotto_metric &, sotto_sorted_points &)> &spoil) {
            sotto_sorted_points table = *good.table.sorted_points;
            sotto_metric metric = good;
            metric.table.sorted_points = &table;
            spoil(metric, table);
            return metric.code->is_sound(metric);
        };
    using metric = sotto_metric &;
    using table = sotto_sorted_points &;
    EXPECT_TRUE(is_sound([](metric, table) {}));
    EXPECT_FALSE(is_sound([](metric m, table) { m.table.sorted_points = nullptr; }));
    EXPECT_FALSE(is_sound([](metric m, table) { m.type = SOTTO_TYPE_HISTOGRAM; }));
    EXPECT_FALSE(is_sound([](metric m, table) { m.level_count = 2; }));
    EXPECT_FALSE(is_sound([](metric m, table) { m.forward_count = 1; }));
    EXPECT_FALSE(is_sound([](metric m, table) { m.value_words = 2; }));
    EXPECT_FALSE(is_sound([](metric, table t) { t.length = 2; }));
    EXPECT_FALSE(is_sound([](metric m, table t) { m.value_words = t.length = 0; }));
    EXPECT_FALSE(is_sound([](metric m, table t) { m.value_words = t.length = 257; }));
    EXPECT_TRUE(is_sound([](metric m, table t) { m.value_words = t.length = 256; }));
    EXPECT_FALSE(is_sound([](metric, table t) { t.min = t.max; }));
    EXPECT_FALSE(is_sound([](metric, table t) { t.max = SOTTO_NUMBER_MAX + 1; }));
    EXPECT_FALSE(is_sound([](metric, table t) { t.min = -SOTTO_NUMBER_MAX - 1; }));
    EXPECT_FALSE(is_sound([](metric, table t) { t.noise = nullptr; }));
    sotto_laplace_noise silent = *good.table.sorted_points->noise;
    silent.nonzero = {};
    EXPECT_FALSE(is_sound([&](metric, table t) { t.noise = &silent; }));
}

} // namespace
