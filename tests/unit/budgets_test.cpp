// SPDX-License-Identifier: Apache-2.0
// A device's spending: windows of epochs, relaxing, and the account of both.
#include "state.hpp"

#include <array>
#include <gtest/gtest.h>

namespace {

TEST_F(State, ReleasesAreRelaxedAfterAReboot) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    auto published = reports();
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 2), SOTTO_OK);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, cost(BUDGETS_DOOR, 2)) << "the difference was charged";
    ASSERT_EQ(flush(), SOTTO_OK);
    published.merge(reports());
    ASSERT_EQ(published.size(), 2u);
    EXPECT_EQ(std::get<0>(published.begin()->first), std::get<0>(published.rbegin()->first))
        << "one release";
}

TEST_F(State, AnExhaustedBudgetSaysWhenItFrees) {
    // 4 in 5 epochs at 0.5 a report and 2 at the top: two at the top, or eight.
    for (uint32_t epoch = 0; epoch < 2; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(door(), SOTTO_OK);
        ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, epoch, 2), SOTTO_OK);
    }
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
    EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 5u);
    EXPECT_EQ(account(0).free_epoch, 2u) << "other metrics still can";
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    for (uint32_t epoch = 2; epoch < 5; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
    }
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK);
    EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 5u);
    EXPECT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 6u) << "measured in this one";
    EXPECT_EQ(account(BUDGETS_DOOR).measured, 3u);
}

// The windows that contain the original epoch must have room, those of the past too.
TEST_F(State, RelaxingIsChargedToTheEpochOfTheMeasurement) {
    ASSERT_EQ(door(), SOTTO_OK); // epoch 0
    ASSERT_EQ(sotto_advance(client, 3), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 3, 2), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 4), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, 4, 2), SOTTO_ERR_BUDGET) << ".5 + 2 + 2 above 4";
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, 4, 1), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_ERR_NO_RELEASE)
        << "it left its window, and closed";
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, 4, 2), SOTTO_ERR_BUDGET)
        << "the window of epochs 0 to 4 has no room, though that of 1 to 5 has";
}

TEST_F(State, SeveralMeasurementsAnEpochIfTheRegistrySaysSo) {
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 2), SOTTO_OK);
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 3), SOTTO_ERR_ALREADY_REPORTED);
    const uint32_t before = account(0).spent;
    ASSERT_EQ(sotto_relax(client, BUDGETS_ROOM, 0, 1), SOTTO_OK);
    EXPECT_EQ(account(0).spent, before + 2 * (cost(BUDGETS_ROOM, 1) - cost(BUDGETS_ROOM, 0)));
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(reports().size(), 4u) << "both, at both levels";
}

TEST_F(State, WhatWasSentCanBeListed) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_OK);
    sotto_release_info info{};
    ASSERT_EQ(sotto_get_release(client, 0, &info), SOTTO_OK);
    EXPECT_EQ(info.metric_id, BUDGETS_DOOR);
    EXPECT_EQ(info.level, 1);
    EXPECT_EQ(info.pending, 2);
    EXPECT_EQ(info.batch, 1);
    ASSERT_EQ(sotto_get_release(client, 1, &info), SOTTO_OK);
    EXPECT_EQ(info.metric_id, BUDGETS_ROOM);
    EXPECT_EQ(sotto_get_release(client, 2, &info), SOTTO_ERR_NO_RELEASE);
    EXPECT_EQ(account(0).spent, cost(BUDGETS_DOOR, 1) + cost(BUDGETS_ROOM, 0));
    EXPECT_EQ(account(0).budget, registry.budget);
}

TEST_F(State, AllReleasesOfAnEpochAreCountedWithoutWrapping) {
    // 130 measurements of 31 epsilon more: 2^32 units are 4096 epsilon.
    registry.fingerprint ^= 1;
    sotto_metric many = metrics[0];
    static const uint32_t costs[] = {209716, 33270268, 33270269};
    many.cost = costs;
    many.per_epoch = 255;
    many.window_epochs = 5;
    many.budget = 32u << 20;
    registry.metrics = &many;
    registry.metric_count = 1;
    registry.window_epochs = 0;
    registry.budget = 0;
    fake.forget();
    struct {
        sotto_state_head head{};
        std::array<uint32_t, 5 + 5 + 9> accounts{};
        std::array<sotto_release, 130> releases{};
        std::array<uint32_t, 130> words{};
    } static state;
    std::array<uint32_t, 2> work{};
    const sotto_memory memory = {&state.head,
                                 state.accounts.data(),
                                 state.releases.data(),
                                 state.words.data(),
                                 work.data(),
                                 device.random,
                                 static_cast<uint16_t>(state.accounts.size()),
                                 130,
                                 1,
                                 sizeof device.random,
                                 0,
                                 nullptr};
    static sotto_client fresh;
    ASSERT_EQ(sotto_init(&fresh, &registry, &port, &memory), SOTTO_OK);
    ASSERT_EQ(sotto_advance(&fresh, 0), SOTTO_OK);
    for (int i = 0; i < 130; ++i) {
        ASSERT_EQ(sotto_report_boolean(&fresh, BUDGETS_DOOR, true), SOTTO_OK);
    }
    EXPECT_EQ(sotto_relax(&fresh, BUDGETS_DOOR, 0, 1), SOTTO_ERR_BUDGET);
    EXPECT_EQ(sotto_pending(&fresh), 130u);
    EXPECT_EQ(sotto_deinit(&fresh), SOTTO_OK);
}

TEST_F(State, MeasurementsThatCameLaterAreRaisedToo) {
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_ROOM, 0, 1), SOTTO_OK);
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 2), SOTTO_OK);
    const uint32_t before = account(0).spent;
    EXPECT_EQ(sotto_relax(client, BUDGETS_ROOM, 0, 1), SOTTO_OK);
    EXPECT_EQ(account(0).spent, before + cost(BUDGETS_ROOM, 1) - cost(BUDGETS_ROOM, 0));
    EXPECT_EQ(sotto_relax(client, BUDGETS_ROOM, 0, 1), SOTTO_ERR_LEVEL_NOT_ABOVE);
}

// A metric that tells two values apart, with a budget for two releases, in a window of its own or
// of the device.
class Remembered : public State {
  protected:
    static constexpr uint32_t window = 4;
    sotto_metric app = metrics[3];
    const uint32_t *const costs = app.cost;

    void SetUp() override {
        registry.metrics = &app;
        registry.metric_count = 1;
        registry.window_epochs = app.window_epochs = 0;
        registry.budget = app.budget = 0;
    }
    uint32_t two() const { return costs[1]; }
    sotto_status start(uint32_t epoch) {
        const uint32_t slots = std::max(registry.window_epochs, app.window_epochs);
        const sotto_status status = boot(
            registry, account_words({registry.window_epochs, slots}, app.table.rappor->max_values));
        return status == SOTTO_OK ? sotto_advance(client, epoch) : status;
    }
    bool reports_in(uint32_t epoch) {
        EXPECT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        const sotto_status status =
            sotto_report_string(client, BUDGETS_APP, epoch % 2 == 0 ? "maps" : "mail", 4);
        EXPECT_TRUE(status == SOTTO_OK || status == SOTTO_ERR_BUDGET);
        EXPECT_EQ(flush(), SOTTO_OK);
        EXPECT_EQ(sotto_acknowledge(client), SOTTO_OK);
        return status == SOTTO_OK;
    }
    void expect_two_in_each_window(uint16_t account_id, uint32_t first) {
        std::vector<uint32_t> reported;
        for (uint32_t epoch = first; epoch < first + 100; ++epoch) {
            if (reports_in(epoch)) {
                reported.push_back(epoch);
            }
            ASSERT_LE(account(account_id).spent, two());
        }
        ASSERT_EQ(reported.size(), 50u) << "late in its life as early";
        for (size_t i = 2; i < reported.size(); ++i) {
            EXPECT_GE(reported[i] - reported[i - 2], window);
        }
    }
};

TEST_F(Remembered, AWindowCostsTheSameHoweverMuchCameBefore) {
    app.window_epochs = window;
    app.budget = two();
    ASSERT_EQ(start(0), SOTTO_OK);
    expect_two_in_each_window(BUDGETS_APP, 0);
}

TEST_F(Remembered, AWindowOfTheDeviceToo) {
    registry.window_epochs = window;
    registry.budget = two();
    ASSERT_EQ(start(0), SOTTO_OK);
    expect_two_in_each_window(0, 0);
}

// Releases without a budget count as all that a window can lose.
TEST_F(Remembered, ABudgetThatComesLaterBeginsSpent) {
    for (const bool of_device : {false, true}) {
        SetUp();
        fake.forget();
        ASSERT_EQ(start(0), SOTTO_OK);
        for (uint32_t epoch = 0; epoch < 60; ++epoch) {
            ASSERT_TRUE(reports_in(epoch));
        }
        (of_device ? registry.window_epochs : app.window_epochs) = window;
        (of_device ? registry.budget : app.budget) = two();
        registry.fingerprint ^= 1;
        ASSERT_EQ(start(60), SOTTO_OK);
        EXPECT_EQ(account(of_device ? 0 : BUDGETS_APP).spent, UINT32_MAX);
        EXPECT_EQ(account(BUDGETS_APP).free_epoch, 63u) << "59 was the last that is not known";
        for (uint32_t epoch = 60; epoch < 63; ++epoch) {
            EXPECT_FALSE(reports_in(epoch)) << epoch;
        }
        EXPECT_TRUE(reports_in(63));
    }
}

// A larger budget does not make room in what is not known.
TEST_F(State, WhatIsNotKnownStaysSpentWhenABudgetRises) {
    registry.fingerprint ^= 1;
    registry.metrics = metrics.data();
    metrics[0].window_epochs = 20;
    const size_t words = account_words({7, 20, 0, 3, 7, 0}, 2);
    ASSERT_EQ(boot(registry, words), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_ERR_BUDGET);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    metrics[0].budget *= 2;
    ASSERT_EQ(boot(registry, words), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
}

// 2000 epsilon of a device with many metrics, to the last unit.
TEST_F(State, TheGreatestBudgetOfADevice) {
    static uint32_t cost = 0;
    static std::array<sotto_metric, 3> same;
    for (uint16_t i = 0; i < same.size(); ++i) {
        same[i] = metrics[0];
        same[i].id = static_cast<uint16_t>(i + 1);
        same[i].fingerprint += i;
        same[i].cost = &cost;
        same[i].level_count = 1;
        same[i].request_level = 0;
        same[i].window_epochs = 0;
        same[i].budget = 0;
    }
    cost = 1000u << 20;
    registry.metrics = same.data();
    registry.metric_count = same.size();
    registry.window_epochs = 64;
    registry.budget = 2000u << 20;
    registry.fingerprint ^= 1;
    fake.forget();
    ASSERT_EQ(boot(registry, account_words({64, 0, 0, 0}, 0)), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(sotto_report_boolean(client, 1, true), SOTTO_OK);
    EXPECT_EQ(sotto_report_boolean(client, 2, true), SOTTO_OK);
    EXPECT_EQ(sotto_report_boolean(client, 3, true), SOTTO_ERR_BUDGET);
    EXPECT_EQ(account(0).spent, 2000u << 20);
    EXPECT_EQ(account(3).free_epoch, 64u);
    registry.budget += 1;
    EXPECT_EQ(boot(registry, account_words({64, 0, 0, 0}, 0)), SOTTO_ERR_REGISTRY);
}

} // namespace
