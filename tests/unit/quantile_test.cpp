// SPDX-License-Identifier: Apache-2.0
// sotto_report_quantile(): what is published of points, and what is refused.
#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace {

using places = std::vector<int32_t>;

struct gateway {
    fake_port fake;
    sotto_port port = fake.port();
    quantiles_client device{};
    sotto_client *client = &device.client;

    gateway() {
        EXPECT_EQ(quantiles_init(&device, &port), SOTTO_OK);
        EXPECT_EQ(sotto_advance(client, 3), SOTTO_OK);
    }
    sotto_status report(uint16_t id, const places &p) {
        return sotto_report_quantile(client, id, p.empty() ? nullptr : p.data(), p.size());
    }
    std::vector<uint32_t> published() {
        std::array<uint8_t, QUANTILES_FLUSH_BYTES_MAX> buffer{};
        size_t length = 0;
        EXPECT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        std::vector<uint32_t> together;
        for (const read_report &r : read_batch(buffer.data(), length, quantiles_registry).reports) {
            EXPECT_EQ(r.shown, sotto::shown::index);
            together.push_back(r.index);
        }
        return together;
    }
};

// How often each answer comes in 400 epochs.
std::map<uint32_t, int> answers(uint16_t id, const places &p) {
    gateway g;
    std::map<uint32_t, int> counts;
    for (uint32_t epoch = 4; epoch < 404; ++epoch) {
        EXPECT_EQ(sotto_advance(g.client, epoch), SOTTO_OK);
        const sotto_status status = g.report(id, p);
        if (status == SOTTO_ERR_BUDGET) {
            continue;
        }
        EXPECT_GE(status, 0);
        for (const uint32_t answer : g.published()) {
            ++counts[answer];
        }
        EXPECT_EQ(sotto_acknowledge(g.client), SOTTO_OK);
    }
    return counts;
}

uint32_t most_often(uint16_t id, const places &p) {
    uint32_t best = 0;
    std::map<uint32_t, int> counts = answers(id, p);
    for (const auto &[answer, count] : counts) {
        best = count > counts[best] ? answer : best;
    }
    return best;
}

TEST(Quantile, IsThePointOfItsRankMostOften) {
    EXPECT_EQ(most_often(QUANTILES_MEDIAN, places(25, 4)), 4u);
    EXPECT_EQ(most_often(QUANTILES_MEDIAN, {5, 0, 2, 5, 0, 2, 2, 2, 2, 2, 0}), 2u);
    places rising;
    for (int32_t i = 0; i < 70; ++i) {
        rising.push_back(i / 10);
    }
    EXPECT_EQ(most_often(QUANTILES_UPPER, rising), 6u);
    EXPECT_EQ(most_often(QUANTILES_LOWEST, {7, 7, 3, 7, 7, 7}), 1u) << "bins of two numbers";
}

TEST(Quantile, DoesNotDependOnTheOrder) {
    EXPECT_EQ(answers(QUANTILES_MEDIAN, {0, 1, 2, 4, 5}),
              answers(QUANTILES_MEDIAN, {4, 0, 5, 2, 1}));
    EXPECT_NE(answers(QUANTILES_MEDIAN, {0, 1, 2, 4, 5}),
              answers(QUANTILES_MEDIAN, {0, 1, 1, 4, 5}));
}

TEST(Quantile, OfPointsOutsideIsClampedAndTold) {
    gateway g;
    EXPECT_EQ(g.report(QUANTILES_MEDIAN, {0, 5}), SOTTO_OK);
    EXPECT_EQ(g.report(QUANTILES_FAR_MEDIAN, {-4, 2}), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(g.report(QUANTILES_UPPER, {0, 7, 3}), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(answers(QUANTILES_MEDIAN, {INT32_MIN, INT32_MAX, 6, -1, 3}),
              answers(QUANTILES_MEDIAN, {0, 5, 5, 0, 3}));
}

TEST(Quantile, NamesEachMistake) {
    gateway g;
    const int32_t point = 1;
    EXPECT_EQ(sotto_report_quantile(nullptr, QUANTILES_MEDIAN, &point, 1),
              SOTTO_ERR_NOT_INITIALISED);
    EXPECT_EQ(g.report(77, {1}), SOTTO_ERR_UNKNOWN_METRIC);
    EXPECT_EQ(g.report(QUANTILES_FLAG, {1}), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(g.report(QUANTILES_MEDIAN, {}), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_report_quantile(g.client, QUANTILES_MEDIAN, &point, 0), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(g.report(QUANTILES_MEDIAN, places(65536, 1)), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_report_points(g.client, QUANTILES_MEDIAN, &point, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_integer(g.client, QUANTILES_MEDIAN, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_count(g.client, QUANTILES_MEDIAN, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_pending(g.client), 0u);
    EXPECT_EQ(g.report(QUANTILES_MEDIAN, places(65535, 1)), SOTTO_OK) << "none counted";
    EXPECT_EQ(g.report(QUANTILES_MEDIAN, {1}), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(g.report(QUANTILES_UPPER, {1}), SOTTO_OK);
    EXPECT_EQ(g.report(QUANTILES_UPPER, {1}), SOTTO_OK);
    EXPECT_EQ(sotto_relax(g.client, QUANTILES_MEDIAN, 3, 0), SOTTO_ERR_NO_LADDER);
    EXPECT_EQ(sotto_pause(g.client), SOTTO_OK);
    EXPECT_EQ(g.report(QUANTILES_LOWEST, {1}), SOTTO_ERR_PAUSED);
}

TEST(Quantile, OfTheTypedHandleIsTheSame) {
    fake_port fake;
    const sotto_port port = fake.port();
    quantiles::client device;
    ASSERT_EQ(device.init(port), SOTTO_OK);
    ASSERT_EQ(device.advance(3), SOTTO_OK);
    const std::array<int32_t, 2> two = {1, 9};
    EXPECT_EQ(device.report(quantiles::median, two.data(), 1), SOTTO_OK);
    EXPECT_EQ(device.report(quantiles::upper, two.data(), two.size()), SOTTO_VALUE_CLAMPED);
}

uint32_t left_in(const quantiles_client &device) {
    uint32_t left = 0;
    for (const uint32_t word : device.work) {
        left |= word;
    }
    for (const uint32_t word : device.rows) {
        left |= word;
    }
    for (const uint8_t byte : device.random) {
        left |= byte;
    }
    return left;
}

TEST(Quantile, LeavesNothingBehind) {
    gateway g;
    EXPECT_EQ(g.report(QUANTILES_MEDIAN, {1, 2, 3}), SOTTO_OK);
    EXPECT_EQ(left_in(g.device), 0u);
    EXPECT_EQ(g.published().size(), 1u);
}

TEST(Quantile, WithoutItsRoomIsNotMade) {
    gateway g;
    g.client->memory.row_words = 3;
    EXPECT_EQ(g.report(QUANTILES_MEDIAN, {1}), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_pending(g.client), 0u);
}

// The tables that a device refuses: each hides less than it says, or writes where it must not.
TEST(Quantile, TablesAreChecked) {
    using table = sotto_inverse_sensitivity;
    const sotto_metric good = quantiles_registry.metrics[QUANTILES_MEDIAN - 1];
    const auto is_refused = [&](const std::function<void(table &)> &spoil,
                                const sotto_client_code *client) {
        table spoilt = *good.table.inverse_sensitivity;
        spoil(spoilt);
        sotto_metric metric = good;
        metric.table.inverse_sensitivity = &spoilt;
        metric.client = client;
        sotto_registry registry = quantiles_registry;
        registry.metrics = &metric;
        registry.metric_count = 1;
        gateway g;
        sotto_memory memory = g.client->memory;
        EXPECT_EQ(sotto_deinit(g.client), SOTTO_OK);
        return sotto_init(g.client, &registry, &g.port, &memory) == SOTTO_ERR_REGISTRY;
    };
    const auto is_spoilt = [&](const std::function<void(table &)> &spoil) {
        return is_refused(spoil, good.client);
    };
    EXPECT_FALSE(is_spoilt([](table &) {}));
    EXPECT_TRUE(is_refused([](table &) {}, nullptr));
    EXPECT_TRUE(is_spoilt([](table &t) { t.weight = nullptr; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.weight_count = 1; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.weight_count = SOTTO_WEIGHTS_MAX + 1; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.delta = 0; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.delta = t.bins; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.rank = 0; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.rank = 1000; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.bins = 1; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.step = 2; }));
    EXPECT_TRUE(is_spoilt([](table &t) { t.max = t.min; }));
    static const std::array<uint32_t, 3> rising = {5, 7, 1}, steep = {4000000000u, 451, 4},
                                         silent = {3, 1, 0};
    for (const auto *weights : {&rising, &silent}) {
        EXPECT_TRUE(is_spoilt([&](table &t) {
            t.weight = weights->data();
            t.weight_count = 3;
        }));
    }
    EXPECT_FALSE(is_spoilt([&](table &t) {
        t.weight = steep.data();
        t.weight_count = 2;
    })) << "epsilon 31.99";
    static const std::array<uint32_t, 2> too_steep = {4000000000u, 450};
    EXPECT_TRUE(is_spoilt([&](table &t) {
        t.weight = too_steep.data();
        t.weight_count = 2;
    }));
}

} // namespace
