// SPDX-License-Identifier: Apache-2.0
// The level that a measurement starts at, by the levels of the epochs before it.
#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

constexpr uint32_t window = 4, base = 5;

class Policy : public testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    paced_client device{};
    sotto_client *client = &device.client;
    std::array<uint8_t, 2048> buffer{};
    size_t length = 0;
    const sotto_metric &busy = paced_registry.metrics[0];

    void SetUp() override { begin(); }
    void begin() {
        ASSERT_EQ(paced_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    }
    void begin_anew() {
        ASSERT_EQ(sotto_deinit(client), SOTTO_OK);
        fake.forget();
        std::memset(&device, 0, sizeof device);
        begin();
    }
    // Flushed, so that it survives.
    uint32_t measured_level(bool value = true) {
        EXPECT_EQ(sotto_report_boolean(client, PACED_BUSY, value), SOTTO_OK);
        return flushed_level();
    }
    uint32_t flushed_level() {
        EXPECT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        const read_batch batch(buffer.data(), length, paced_registry);
        EXPECT_EQ(batch.reports.size(), 1u);
        EXPECT_EQ(sotto_acknowledge(client), SOTTO_OK);
        return batch.reports.empty() ? ~0u : batch.reports[0].level;
    }
    uint32_t spent() const {
        sotto_account a{};
        EXPECT_EQ(sotto_get_account(client, PACED_BUSY, &a), SOTTO_OK);
        return a.spent;
    }
};

// Digits of the last epochs, as registry.h has them, and what a window may hold.
struct model {
    std::vector<uint32_t> digits;

    uint32_t state() const {
        uint32_t s = 0;
        for (size_t i = digits.size() < window - 1 ? 0 : digits.size() - (window - 1);
             i < digits.size(); ++i) {
            s = s * base + digits[i];
        }
        return s;
    }
    uint32_t spent(const sotto_metric &m) const {
        uint32_t sum = 0;
        for (size_t i = digits.size() < window ? 0 : digits.size() - window; i < digits.size();
             ++i) {
            sum += digits[i] == 0 ? 0 : m.cost[digits[i] - 1];
        }
        return sum;
    }
};

// Every history of 9 epochs, measured or not.
TEST_F(Policy, IsFollowedFromEveryHistoryAndNeverOverfillsAWindow) {
    constexpr uint32_t epochs = 9;
    std::array<bool, 4> started{};
    for (uint32_t history = 0; history < 1u << epochs; ++history) {
        begin_anew();
        model m;
        for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
            ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
            const bool measures = (history >> epoch & 1) != 0;
            const uint32_t expected = busy.policy->level[m.state()];
            if (measures) {
                ASSERT_EQ(measured_level((history & 64) != 0), expected) << history << " " << epoch;
                started[expected] = true;
            }
            m.digits.push_back(measures ? expected + 1 : 0);
            ASSERT_EQ(spent(), m.spent(busy));
            ASSERT_LE(spent(), busy.budget);
        }
    }
    EXPECT_EQ(started, (std::array{false, true, true, true})) << "level 0 is for relaxed ones";
}

TEST_F(Policy, IsOfItsMetricAlone) {
    ASSERT_EQ(sotto_report_boolean(client, PACED_FREE, true), SOTTO_OK);
    EXPECT_EQ(flushed_level(), 0u);
}

// A relaxed measurement counts at the level that it was relaxed to.
TEST_F(Policy, SeesRelaxations) {
    for (uint32_t epoch = 0; epoch < 2; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(measured_level(), epoch == 0 ? 3u : 2u);
    }
    ASSERT_EQ(sotto_relax(client, PACED_BUSY, 1, 3), SOTTO_OK);
    EXPECT_EQ(flushed_level(), 3u);
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    ASSERT_EQ(measured_level(), 1u); // after - 3 3
    ASSERT_EQ(sotto_relax(client, PACED_BUSY, 2, 3), SOTTO_OK);
    EXPECT_EQ(flushed_level(), 3u);
    EXPECT_EQ(spent(), 3 * busy.cost[3]);
    ASSERT_EQ(sotto_advance(client, 3), SOTTO_OK);
    EXPECT_EQ(sotto_report_boolean(client, PACED_BUSY, true), SOTTO_ERR_BUDGET) << "all is spent";
    ASSERT_EQ(sotto_advance(client, 4), SOTTO_OK);
    EXPECT_EQ(measured_level(), busy.policy->level[4 * 25 + 4 * 5 + 0]);
}

// A measurement that was not stored was not published: the history is that of the ledger.
TEST_F(Policy, FollowsTheLedgerThroughAPowerCut) {
    ASSERT_EQ(measured_level(), 3u);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(sotto_report_boolean(client, PACED_BUSY, true), SOTTO_OK); // lost
    const uint8_t *level = busy.policy->level;
    for (uint32_t epoch = 1; epoch < 3; ++epoch) {
        std::memset(&device, 0xa5, sizeof device);
        ASSERT_EQ(paced_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        EXPECT_EQ(measured_level(), epoch == 1 ? level[4] : level[4 * base + level[4] + 1]);
    }
}

// A table that the compiler would refuse: the ledger keeps the budget, at lower levels.
TEST_F(Policy, NeverOverrulesTheLedger) {
    const std::vector<uint8_t> always_top(125, 3);
    const sotto_policy greedy{always_top.data(), busy.policy->start};
    std::array metrics{paced_registry.metrics[0], paced_registry.metrics[1]};
    metrics[0].policy = &greedy;
    sotto_registry registry = paced_registry;
    registry.metrics = metrics.data();
    const sotto_memory memory = client->memory;
    ASSERT_EQ(sotto_deinit(client), SOTTO_OK);
    ASSERT_EQ(sotto_init(client, &registry, &port, &memory), SOTTO_OK);
    for (uint32_t epoch = 0; epoch < 3; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(measured_level(), 3u);
    }
    ASSERT_EQ(sotto_advance(client, 3), SOTTO_OK);
    EXPECT_EQ(sotto_report_boolean(client, PACED_BUSY, true), SOTTO_ERR_BUDGET);
    EXPECT_LE(spent(), busy.budget);
}

} // namespace
