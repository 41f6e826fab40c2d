// SPDX-License-Identifier: Apache-2.0
// sotto_report_points(): what is published of points, and what is refused.
#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace {

using rows = std::vector<uint32_t>;
using places = std::vector<int32_t>;

// With the same seed a device draws the same noise, wherever the points lie.
struct gateway {
    fake_port fake;
    sotto_port port = fake.port();
    points_client device{};
    sotto_client *client = &device.client;

    gateway() {
        EXPECT_EQ(points_init(&device, &port), SOTTO_OK);
        EXPECT_EQ(sotto_advance(client, 3), SOTTO_OK);
    }
    sotto_status report(uint16_t id, const places &p) {
        return sotto_report_points(client, id, p.empty() ? nullptr : p.data(), p.size());
    }
    std::vector<rows> published() {
        std::array<uint8_t, POINTS_FLUSH_BYTES_MAX> buffer{};
        size_t length = 0;
        EXPECT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        std::vector<rows> together;
        for (const read_report &r : read_batch(buffer.data(), length, points_registry).reports) {
            EXPECT_EQ(r.shown, sotto::shown::numbers);
            together.emplace_back(r.bytes.size() / 4);
            std::memcpy(together.back().data(), r.bytes.data(), r.bytes.size());
        }
        return together;
    }
};

rows published(uint16_t id, const places &p) {
    gateway g;
    EXPECT_GE(g.report(id, p), 0);
    const std::vector<rows> together = g.published();
    EXPECT_EQ(together.size(), 1u);
    return together.at(0);
}

// Without the noise.
rows counted(uint16_t id, const places &p) {
    rows with = published(id, p);
    const rows without = published(id, {});
    EXPECT_EQ(with.size(), without.size());
    for (size_t i = 0; i < with.size(); ++i) {
        with[i] -= without.at(i);
    }
    return with;
}

// A location's point is two numbers.
rows counted_pairs(const places &p) {
    gateway g, none;
    EXPECT_GE(sotto_report_points(g.client, POINTS_SQUARES, p.data(), p.size() / 2), 0);
    EXPECT_EQ(sotto_report_points(none.client, POINTS_SQUARES, nullptr, 0), SOTTO_OK);
    rows with = g.published().at(0);
    const rows without = none.published().at(0);
    for (size_t i = 0; i < with.size(); ++i) {
        with[i] -= without.at(i);
    }
    return with;
}

// The rows of a place by the definition of each strategy, apart from the tables.
using strategy = std::function<void(int32_t place, rows &target)>;

void each(rows &target, int32_t place, int32_t bins, int32_t step) {
    for (int32_t first = 0; first < bins; first += step) {
        target.push_back(place >= first && place < first + step ? 1 : 0);
    }
}

void halves(rows &target, int32_t place, int32_t step) {
    for (int32_t first = 0; first < 8; first += step) {
        const bool is_in = place >= first && place < first + step;
        target.push_back(!is_in ? 0 : place < first + step / 2 ? 1 : UINT32_MAX);
    }
}

const std::map<uint16_t, std::pair<int32_t, strategy>> &strategies() {
    static const std::map<uint16_t, std::pair<int32_t, strategy>> every = {
        {POINTS_EACH_BIN, {8, [](int32_t p, rows &t) { each(t, p, 8, 1); }}},
        {POINTS_SUFFIXES,
         {8,
          [](int32_t p, rows &t) {
              for (int32_t first = 0; first < 8; ++first) {
                  t.push_back(p >= first ? 1 : 0);
              }
          }}},
        {POINTS_TREE,
         {10,
          [](int32_t p, rows &t) {
              for (const int32_t step : {1, 3, 9, 10}) {
                  each(t, p, 10, step);
              }
          }}},
        {POINTS_HAAR,
         {8,
          [](int32_t p, rows &t) {
              for (const int32_t step : {2, 4, 8}) {
                  halves(t, p, step);
              }
              t.push_back(1);
          }}},
        {POINTS_HYBRID,
         {12,
          [](int32_t p, rows &t) {
              each(t, p, 12, 1);
              each(t, p, 12, 2);
              for (const int32_t first : {0, 4, 8}) {
                  t.push_back(p >= first ? 1 : 0);
              }
          }}},
    };
    return every;
}

TEST(Points, AreCountedByTheRowsOfEachStrategy) {
    for (const auto &[id, known] : strategies()) {
        const auto &[bins, rows_of] = known;
        rows sum(points_registry.metrics[id - 1].value_words);
        places several;
        for (int32_t place = 0; place < bins; ++place) {
            rows expected;
            rows_of(place, expected);
            EXPECT_EQ(counted(id, {place}), expected) << id << ' ' << place;
            for (int32_t times = 0; times <= place % 3; ++times) {
                several.push_back(place);
                for (size_t i = 0; i < sum.size(); ++i) {
                    sum[i] += expected.at(i);
                }
            }
        }
        EXPECT_EQ(counted(id, several), sum) << id;
    }
}

TEST(Points, OfTwoNumbersAreCountedBySquares) {
    for (int32_t x = 0; x < 8; ++x) {
        for (int32_t y = 0; y < 8; ++y) {
            rows expected;
            for (const int32_t begin : {0, -3}) {
                for (int32_t line = begin; line < 8; line += 5) {
                    for (int32_t row = begin; row < 8; row += 5) {
                        const bool is_in = x >= row && x < row + 5 && y >= line && y < line + 5;
                        expected.push_back(is_in ? 1 : 0);
                    }
                }
            }
            EXPECT_EQ(counted_pairs({x, y}), expected) << x << ' ' << y;
        }
    }
    EXPECT_EQ(counted_pairs({0, 7, 3, 3, 0, 7}), counted_pairs({0, 7, 0, 7, 3, 3}));
    EXPECT_EQ(counted_pairs({-9, 8, 3, INT32_MAX}), counted_pairs({0, 7, 3, 7}));
    gateway g;
    const places outside = {3, 8};
    EXPECT_EQ(sotto_report_points(g.client, POINTS_SQUARES, outside.data(), 1),
              SOTTO_VALUE_CLAMPED);
}

TEST(Points, BeginAsTheirNoise) {
    std::map<uint32_t, int> values;
    for (const uint32_t row : published(POINTS_TREE, {})) {
        ++values[row];
    }
    EXPECT_GT(values.size(), 5u);
    EXPECT_NE(published(POINTS_TREE, {}), rows(17));
}

TEST(Points, AreClampedAndTold) {
    gateway g;
    EXPECT_EQ(g.report(POINTS_EACH_BIN, {0, 7}), SOTTO_OK);
    EXPECT_EQ(g.report(POINTS_SUFFIXES, {0, 8, 3}), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(g.report(POINTS_TREE, {-1}), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(counted(POINTS_TREE, {INT32_MIN, INT32_MAX, 10, -1}),
              counted(POINTS_TREE, {0, 9, 9, 0}));
}

TEST(Points, NameEachMistake) {
    gateway g;
    const int32_t point = 1;
    EXPECT_EQ(sotto_report_points(nullptr, POINTS_TREE, &point, 1), SOTTO_ERR_NOT_INITIALISED);
    EXPECT_EQ(g.report(77, {1}), SOTTO_ERR_UNKNOWN_METRIC);
    EXPECT_EQ(g.report(POINTS_FLAG, {1}), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_points(g.client, POINTS_TREE, nullptr, 1), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_report_vector(g.client, POINTS_TREE, &point, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_integer(g.client, POINTS_TREE, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_count(g.client, POINTS_TREE, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_pending(g.client), 0u);
    EXPECT_EQ(g.report(POINTS_TREE, {1}), SOTTO_OK) << "none of these counted as a report";
    EXPECT_EQ(g.report(POINTS_TREE, {1}), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(g.report(POINTS_HYBRID, {1}), SOTTO_OK);
    EXPECT_EQ(g.report(POINTS_HYBRID, {1}), SOTTO_OK);
    EXPECT_EQ(sotto_relax(g.client, POINTS_TREE, 3, 0), SOTTO_ERR_NO_LADDER);
    EXPECT_EQ(sotto_pause(g.client), SOTTO_OK);
    EXPECT_EQ(g.report(POINTS_EACH_BIN, {1}), SOTTO_ERR_PAUSED);
}

TEST(Points, OfTheTypedHandleAreTheSame) {
    fake_port fake;
    const sotto_port port = fake.port();
    points::client device;
    ASSERT_EQ(device.init(port), SOTTO_OK);
    ASSERT_EQ(device.advance(3), SOTTO_OK);
    const std::array<int32_t, 2> two = {1, 9};
    EXPECT_EQ(device.report(points::tree, two.data(), two.size()), SOTTO_OK);
    EXPECT_EQ(device.report(points::haar, two.data(), two.size()), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(device.report(points::squares, two.data(), 1), SOTTO_VALUE_CLAMPED);
}

bool is_wiped(const points_client &device) {
    uint32_t left = 0;
    for (const uint32_t word : device.work) {
        left |= word;
    }
    for (const uint8_t byte : device.random) {
        left |= byte;
    }
    return left == 0;
}

TEST(Points, LeaveNothingBehind) {
    gateway g;
    EXPECT_EQ(g.report(POINTS_TREE, {1, 2, 3}), SOTTO_OK);
    EXPECT_TRUE(is_wiped(g.device));
    EXPECT_EQ(g.published().size(), 1u);
}

// The tables that a device refuses: each hides less than it says, or writes where it must not.
TEST(Points, TablesAreChecked) {
    const sotto_metric good = points_registry.metrics[POINTS_TREE - 1];
    const sotto_noised_points table = *good.table.noised_points;
    const auto is_refused = [&](const std::function<void(sotto_noised_points &)> &spoil) {
        sotto_noised_points spoilt = table;
        spoil(spoilt);
        sotto_metric metric = good;
        metric.table.noised_points = &spoilt;
        sotto_registry registry = points_registry;
        registry.metrics = &metric;
        registry.metric_count = 1;
        gateway g;
        sotto_memory memory = g.client->memory;
        EXPECT_EQ(sotto_deinit(g.client), SOTTO_OK);
        return sotto_init(g.client, &registry, &g.port, &memory) == SOTTO_ERR_REGISTRY;
    };
    EXPECT_FALSE(is_refused([](sotto_noised_points &) {}));
    EXPECT_TRUE(is_refused([](sotto_noised_points &t) { t.class_count = 0; }));
    EXPECT_TRUE(
        is_refused([](sotto_noised_points &t) { t.class_count = SOTTO_SUM_CLASSES_MAX + 1; }));
    EXPECT_TRUE(is_refused([](sotto_noised_points &t) { t.class_count = 3; }));
    EXPECT_TRUE(is_refused([](sotto_noised_points &t) { t.classes = nullptr; }));
    EXPECT_TRUE(is_refused([](sotto_noised_points &t) { t.noise = nullptr; }));
    EXPECT_TRUE(is_refused([](sotto_noised_points &t) { t.axes = 2; }));
    EXPECT_TRUE(is_refused([](sotto_noised_points &t) { t.places = 1; }));
    static std::array<sotto_place_class, 4> classes;
    const auto is_class_refused = [&](uint16_t sotto_place_class::*member, uint16_t value) {
        std::copy_n(table.classes, 4, classes.begin());
        classes.at(1).*member = value;
        return is_refused([](sotto_noised_points &t) { t.classes = classes.data(); });
    };
    EXPECT_FALSE(is_class_refused(&sotto_place_class::weight, 2));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::weight, 0));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::rows, 0));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::rows, 5));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::rows, 1025));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::lines, 0));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::lines, 2));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::step, 0));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::length, 0));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::half, 0));
    EXPECT_TRUE(is_class_refused(&sotto_place_class::half, 4));
    sotto_laplace_noise silent = *table.noise;
    silent.nonzero = {};
    EXPECT_TRUE(is_refused([&](sotto_noised_points &t) { t.noise = &silent; }));
}

} // namespace
