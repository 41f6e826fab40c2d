// SPDX-License-Identifier: Apache-2.0
// Calls that break into one another.
#include "state.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

TEST_F(State, ACallThatBreaksIntoAnotherIsRefused) {
    struct nested {
        sotto_client *client;
        fake_port *fake;
        sotto_status answer;
    } inside{client, &fake, SOTTO_OK};
    client->port.context = &inside;
    client->port.store = [](void *context, uint32_t, const uint8_t *, size_t) -> sotto_status {
        auto &self = *static_cast<nested *>(context);
        self.answer = sotto_report_category(self.client, BUDGETS_ROOM, 1);
        return SOTTO_OK;
    };
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(inside.answer, SOTTO_ERR_BUSY);
    EXPECT_EQ(reports().size(), 1u);
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK) << "afterwards it works";
}

// A watchdog during a store, and RAM that keeps what it had: sotto.h says to zero it.
TEST_F(State, MemoryThatSurvivedAResetInACallIsZeroed) {
    static struct {
        sotto_port port;
        const budgets_client *device;
        budgets_client retained;
    } the;
    the = {port, &device, {}};
    client->port.store = [](void *context, uint32_t slot, const uint8_t *bytes, size_t size) {
        the.retained = *the.device;
        return the.port.store(context, slot, bytes, size);
    };
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    device = the.retained;
    EXPECT_EQ(init(), SOTTO_ERR_ALREADY_INITIALISED);
    EXPECT_EQ(sotto_deinit(client), SOTTO_ERR_BUSY) << "the call that is no more";
    std::memset(&device, 0, sizeof device);
    ASSERT_EQ(begin(0), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, cost(BUDGETS_DOOR, 0));
}

TEST_F(State, ALockIsTakenAndGivenBack) {
    struct lock {
        int held, taken;
        bool fails;
    } the{0, 0, false};
    sotto_deinit(client);
    fake.forget();
    sotto_port with = port;
    static lock *current = nullptr;
    current = &the;
    with.lock = [](void *) -> sotto_status {
        if (current->fails) {
            return SOTTO_ERR_BUSY;
        }
        ++current->held;
        ++current->taken;
        return SOTTO_OK;
    };
    with.unlock = [](void *) { --current->held; };
    ASSERT_EQ(budgets_init(&device, &with), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(the.taken, 4);
    EXPECT_EQ(the.held, 0);
    the.fails = true;
    EXPECT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_ERR_BUSY);
    the.fails = false;
    EXPECT_EQ(sotto_wipe(client), SOTTO_OK);
    EXPECT_EQ(the.held, 0) << "given back though the client is gone";
}

TEST_F(State, AWaitingCallLooksAgain) {
    static sotto_client *the = nullptr;
    static int calls = 0;
    the = client;
    calls = 0;
    client->port.lock = [](void *) -> sotto_status {
        if (calls++ == 0) { // another thread had it, and wiped
            EXPECT_EQ(sotto_wipe(the), SOTTO_OK);
        }
        return SOTTO_OK;
    };
    client->port.unlock = [](void *) {};
    EXPECT_EQ(door(), SOTTO_ERR_NOT_INITIALISED);
    EXPECT_EQ(sotto_pending(client), 0u);
}

TEST_F(State, NothingIsLookedAtOrEndedInTheMiddleOfACall) {
    static sotto_client *the = nullptr;
    static std::vector<sotto_status> answers;
    the = client;
    answers.clear();
    client->port.store = [](void *, uint32_t, const uint8_t *, size_t) -> sotto_status {
        sotto_account a{};
        sotto_release_info info{};
        answers = {sotto_get_account(the, 0, &a), sotto_get_release(the, 0, &info),
                   sotto_deinit(the), sotto_wipe(the)};
        EXPECT_EQ(sotto_pending(the), 0u);
        return SOTTO_OK;
    };
    ASSERT_EQ(door(), SOTTO_OK);
    EXPECT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(answers, std::vector<sotto_status>(4, SOTTO_ERR_BUSY));
    EXPECT_EQ(reports().size(), 1u);
}

} // namespace
