// SPDX-License-Identifier: Apache-2.0
// The state that a device keeps over a reboot, and how it forgets.
#include "state.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace {

TEST_F(State, AReportIsNotMadeAgainAfterAReboot) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(reboot(), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_NO_EPOCH);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(sotto_advance(client, 3), SOTTO_OK);
    EXPECT_EQ(sotto_advance(client, 2), SOTTO_ERR_EPOCH_BACKWARD);
}

TEST_F(State, WhatWasNotFlushedIsLostAndNotCharged) {
    ASSERT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, cost(BUDGETS_DOOR, 0));
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(sotto_pending(client), 0u);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, 0u);
    EXPECT_EQ(door(), SOTTO_OK);
}

TEST_F(State, JumpsNeedACallOfTheirOwn) {
    EXPECT_EQ(sotto_advance(client, 31), SOTTO_ERR_EPOCH_JUMP);
    EXPECT_EQ(sotto_advance(client, 30), SOTTO_OK);
    EXPECT_EQ(sotto_advance_far(client, 3000), SOTTO_OK);
    EXPECT_EQ(sotto_advance_far(client, 2999), SOTTO_ERR_EPOCH_BACKWARD);
}

TEST_F(State, APauseHoldsOverAReboot) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_pause(client), SOTTO_OK);
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_ERR_PAUSED);
    EXPECT_EQ(flush(), SOTTO_ERR_PAUSED);
    EXPECT_EQ(length, 0u);
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_ERR_PAUSED);
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    EXPECT_TRUE(sotto_is_paused(client));
    EXPECT_EQ(door(), SOTTO_ERR_PAUSED);
    ASSERT_EQ(sotto_resume(client), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(reports().size(), 2u) << "what waited when it was paused, and the new one";
}

TEST_F(State, AStoreThatFailsLetsNothingOut) {
    ASSERT_EQ(door(), SOTTO_OK);
    fake.storage_fails = true;
    EXPECT_EQ(flush(), SOTTO_ERR_STORAGE);
    EXPECT_EQ(length, 0u);
    EXPECT_TRUE(std::all_of(buffer.begin(), buffer.end(), [](uint8_t b) { return b == 0; }));
    EXPECT_EQ(sotto_pending(client), 1u);
    EXPECT_EQ(sotto_pause(client), SOTTO_ERR_STORAGE);
    EXPECT_TRUE(sotto_is_paused(client)) << "a no is a no";
    fake.storage_fails = false;
    EXPECT_EQ(sotto_resume(client), SOTTO_OK);
    EXPECT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(reports().size(), 1u);
}

TEST_F(State, CloseErasesBothCopies) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const std::string seed(reinterpret_cast<const char *>(device.state.releases[0].key),
                           SOTTO_SEED_BYTES);
    const auto is_stored = [&] {
        return std::any_of(std::begin(fake.slots), std::end(fake.slots), [&](const auto &slot) {
            return std::string(slot.begin(), slot.end()).find(seed) != std::string::npos;
        });
    };
    EXPECT_TRUE(is_stored());
    EXPECT_EQ(sotto_close(client, BUDGETS_DOOR, 7), SOTTO_ERR_NO_RELEASE);
    ASSERT_EQ(sotto_close(client, BUDGETS_DOOR, 0), SOTTO_OK);
    EXPECT_FALSE(is_stored());
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_ERR_NO_RELEASE);
    EXPECT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_ERR_NO_BATCH);
}

TEST_F(State, WipeErasesAndLeavesTheBudgetSpent) {
    ASSERT_EQ(sotto_advance(client, 10), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const std::vector<uint8_t> secret = fake.slots[SOTTO_SLOT_SECRET];
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    EXPECT_TRUE(fake.slots[SOTTO_SLOT_SECRET].empty());
    EXPECT_EQ(door(), SOTTO_ERR_NOT_INITIALISED);
    ASSERT_EQ(reboot(), SOTTO_OK);
    EXPECT_NE(fake.slots[SOTTO_SLOT_SECRET], secret);
    EXPECT_EQ(sotto_advance(client, 9), SOTTO_ERR_EPOCH_BACKWARD);
    ASSERT_EQ(sotto_advance(client, 10), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 17u) << "the device's window";
    ASSERT_EQ(sotto_advance(client, 16), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 17), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_OK);
}

TEST_F(State, WhatClosedByItselfIsErasedInTwoEpochs) {
    for (uint32_t level = 1; level < 3; ++level) {
        if (level == 1) {
            ASSERT_EQ(door(), SOTTO_OK);
        }
        ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, static_cast<uint8_t>(level)), SOTTO_OK);
    }
    ASSERT_EQ(flush(), SOTTO_OK);
    const std::string seed(reinterpret_cast<const char *>(device.state.releases[0].key),
                           SOTTO_SEED_BYTES);
    const auto is_stored = [&] {
        return std::any_of(fake.slots.begin(), fake.slots.end(), [&](const auto &slot) {
            return std::string(slot.begin(), slot.end()).find(seed) != std::string::npos;
        });
    };
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    ASSERT_TRUE(is_stored());
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    EXPECT_FALSE(is_stored());
    const int before = fake.stores;
    ASSERT_EQ(sotto_advance(client, 3), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 4), SOTTO_OK);
    EXPECT_EQ(fake.stores, before) << "nothing more to erase, and a new measurement erases nothing";
}

TEST_F(State, AWipeKeepsTheNo) {
    ASSERT_EQ(sotto_pause(client), SOTTO_OK);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    ASSERT_EQ(begin(1), SOTTO_OK);
    EXPECT_TRUE(sotto_is_paused(client));
}

// Consent first: a new device asks before it measures, also after it was wiped.
TEST_F(State, ANewDeviceIsPausedWhereTheRegistrySaysSo) {
    constexpr size_t words = sizeof device.state.accounts / sizeof *device.state.accounts;
    const auto start = [&] {
        ASSERT_EQ(boot(registry, words), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    };
    registry.start_paused = 1;
    fake.forget();
    start();
    EXPECT_TRUE(sotto_is_paused(client));
    EXPECT_EQ(door(), SOTTO_ERR_PAUSED);
    start();
    EXPECT_TRUE(sotto_is_paused(client)) << "also after a reboot";
    ASSERT_EQ(sotto_resume(client), SOTTO_OK);
    start();
    EXPECT_FALSE(sotto_is_paused(client)) << "a yes is kept";
    EXPECT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    start();
    EXPECT_TRUE(sotto_is_paused(client)) << "a wiped device is new";
    registry.start_paused = 0;
    fake.forget();
    start();
    EXPECT_FALSE(sotto_is_paused(client));
}

} // namespace
