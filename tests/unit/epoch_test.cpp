// SPDX-License-Identifier: Apache-2.0
// Epochs from clocks, a first epoch that was wrong, and the count of stores.
#include "../../examples/epochs/epochs.h"
#include "state.hpp"

namespace {

constexpr uint32_t day = 86400, november = 1793491200;

TEST(Epoch, FromUnixTime) {
    EXPECT_EQ(sotto_epoch_from_unix(november, november, day), november / day);
    EXPECT_EQ(sotto_epoch_from_unix(november - 1, november, day), UINT32_MAX) << "not set";
    EXPECT_EQ(sotto_epoch_from_unix(UINT32_MAX, 0, day), 49710u);
    EXPECT_EQ(sotto_epoch_from_unix(november, 0, 0), UINT32_MAX);
    EXPECT_EQ(sotto_epoch_from_unix(UINT32_MAX, 0, 2), UINT32_MAX / 2);
}

// In steps of any length as much passes as in one.
TEST(Epoch, FromUptime) {
    for (const uint32_t step : {1u, 7u, 3600u, day - 1, day, day + 1, 10 * day}) {
        sotto_uptime kept = {};
        uint64_t passed = 0;
        for (int i = 0; i < 5000; ++i) {
            passed += step;
            ASSERT_EQ(sotto_epoch_from_uptime(&kept, step, day), passed / day) << step;
        }
        EXPECT_EQ(kept.seconds, passed % day);
    }
}

TEST(Epoch, FromUptimeEndsAtTheLast) {
    sotto_uptime kept = {UINT32_MAX - 2, 5};
    EXPECT_EQ(sotto_epoch_from_uptime(&kept, 5, 10), UINT32_MAX - 1);
    EXPECT_EQ(sotto_epoch_from_uptime(&kept, 10, 10), UINT32_MAX);
    EXPECT_EQ(sotto_epoch_from_uptime(&kept, UINT32_MAX, 10), UINT32_MAX);
    EXPECT_EQ(sotto_epoch_from_uptime(&kept, 1, 0), UINT32_MAX);
    kept = {3, UINT32_MAX}; // torn
    EXPECT_EQ(sotto_epoch_from_uptime(&kept, UINT32_MAX, 10), 3 + 1 + (UINT32_MAX - 5) / 10);
}

TEST_F(State, AFirstEpochIsMendedUntilSomethingWasMeasured) {
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK);
    EXPECT_EQ(sotto_advance(client, 2), SOTTO_ERR_EPOCH_BACKWARD);
    ASSERT_EQ(sotto_forget_epoch(client), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_NO_EPOCH);
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(sotto_forget_epoch(client), SOTTO_ERR_EPOCH_BACKWARD);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(reboot(), SOTTO_OK);
    EXPECT_EQ(sotto_forget_epoch(client), SOTTO_ERR_EPOCH_BACKWARD);
    ASSERT_EQ(sotto_advance(client, 4), SOTTO_OK);
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK) << "also when nothing of it is kept";
    EXPECT_EQ(sotto_forget_epoch(client), SOTTO_ERR_EPOCH_BACKWARD);
}

TEST_F(State, AForgottenEpochStaysForgotten) {
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK);
    ASSERT_EQ(sotto_pause(client), SOTTO_OK) << "which stores the epoch";
    ASSERT_EQ(sotto_forget_epoch(client), SOTTO_OK);
    ASSERT_EQ(reboot(), SOTTO_OK);
    EXPECT_EQ(sotto_advance(client, 1), SOTTO_OK);
}

TEST_F(State, AMeasurementThatWasNeverStoredDoesNotHoldTheEpoch) {
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_deinit(client), SOTTO_OK);
    ASSERT_EQ(init(), SOTTO_OK);
    ASSERT_EQ(sotto_forget_epoch(client), SOTTO_OK);
    EXPECT_EQ(sotto_advance(client, 1), SOTTO_OK);
}

// A device that forgot what it said must not say it anew in an epoch before.
TEST_F(State, AWipedDeviceKeepsItsEpoch) {
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    ASSERT_EQ(init(), SOTTO_OK);
    EXPECT_EQ(sotto_forget_epoch(client), SOTTO_ERR_EPOCH_BACKWARD);
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK);
    EXPECT_EQ(sotto_forget_epoch(client), SOTTO_ERR_EPOCH_BACKWARD) << "the budget is spent";
}

TEST_F(State, AnEpochThatCannotBeForgottenStays) {
    ASSERT_EQ(sotto_advance(client, 5), SOTTO_OK);
    client->port.store = [](void *, uint32_t, const uint8_t *, size_t) -> sotto_status {
        return SOTTO_ERR_STORAGE;
    };
    EXPECT_EQ(sotto_forget_epoch(client), SOTTO_ERR_STORAGE);
    EXPECT_EQ(sotto_advance(client, 4), SOTTO_ERR_EPOCH_BACKWARD);
    EXPECT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(sotto_forget_epoch(nullptr), SOTTO_ERR_NOT_INITIALISED);
}

TEST_F(State, TheExamplesOfEpochs) {
    EXPECT_EQ(epoch_by_rtc(client, 0), SOTTO_ERR_EPOCH_BACKWARD) << "the clock is not set";
    sotto_uptime kept = {};
    EXPECT_EQ(epoch_by_uptime(client, &kept, 3 * day), SOTTO_OK);
    EXPECT_EQ(kept.epoch, 3u);
    ASSERT_EQ(sotto_forget_epoch(client), SOTTO_OK);
    EXPECT_EQ(epoch_by_network(client, november + 9 * day, true), SOTTO_OK) << "a wrong server";
    EXPECT_EQ(epoch_by_network(client, november, false), SOTTO_ERR_EPOCH_BACKWARD);
    EXPECT_EQ(epoch_by_network(client, november, true), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(epoch_by_network(client, november - 1, true), SOTTO_ERR_EPOCH_BACKWARD);
    EXPECT_EQ(epoch_by_rtc(client, november), SOTTO_OK);
}

TEST_F(State, StoresAreCounted) {
    const uint32_t before = sotto_get_stores(client);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(sotto_get_stores(client), before + 1);
    ASSERT_EQ(sotto_pause(client), SOTTO_OK);
    EXPECT_EQ(sotto_get_stores(client), before + 3);
    ASSERT_EQ(reboot(), SOTTO_OK);
    EXPECT_EQ(sotto_get_stores(client), before + 3) << "of all its life";
    EXPECT_EQ(sotto_get_stores(nullptr), 0u);
}

TEST(Status, NotesAreNoFailures) {
    EXPECT_FALSE(SOTTO_FAILED(SOTTO_OK));
    EXPECT_FALSE(SOTTO_FAILED(SOTTO_VALUE_CLAMPED));
    EXPECT_TRUE(SOTTO_FAILED(SOTTO_ERR_ARGUMENT));
    static_assert(SOTTO_VERSION_NUMBER >= 100);
    SOTTO_IGNORE(sotto_advance(nullptr, 0));
}

} // namespace
