// SPDX-License-Identifier: Apache-2.0
// A batch is the same whenever it is asked for.
#include "state.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace {

TEST_F(State, ABatchIsTheSameWhenItIsAskedForAgain) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 3), SOTTO_OK);
    EXPECT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_ERR_NO_BATCH);
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto first = reports();
    ASSERT_EQ(first.size(), 2u);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        EXPECT_EQ(reports(), first);
        ASSERT_EQ(reboot(), SOTTO_OK);
        EXPECT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_ERR_NO_EPOCH);
        ASSERT_EQ(sotto_advance(client, i > 0 ? 2 : 0), SOTTO_OK);
    }
    EXPECT_EQ(sotto_resend(client, buffer.data(), 41, &length), SOTTO_ERR_BUFFER_TOO_SMALL);
    EXPECT_EQ(length, 0u);
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    EXPECT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_ERR_NO_BATCH);
    EXPECT_EQ(length, 0u);
}

TEST_F(State, OneStoreABatch) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    const int before = fake.stores;
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(fake.stores, before + 1);
    ASSERT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(fake.stores, before + 1) << "nothing new, nothing to store";
}

TEST_F(State, ABatchFitsItsBufferInAnyLaterEpoch) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    ASSERT_EQ(sotto_report_integer(client, BUDGETS_POWER, 1), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const std::vector<uint8_t> first(buffer.begin(),
                                     buffer.begin() + static_cast<std::ptrdiff_t>(length));
    ASSERT_EQ(sotto_advance_far(client, 100000), SOTTO_OK);
    ASSERT_EQ(sotto_resend(client, buffer.data(), first.size(), &length), SOTTO_OK);
    EXPECT_EQ(
        std::vector<uint8_t>(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(length)),
        first)
        << "byte by byte";
}

TEST_F(State, AFlushThatFailsLeavesTheBatchBefore) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto first = reports();
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    fake.storage_fails = true;
    EXPECT_EQ(flush(), SOTTO_ERR_STORAGE);
    fake.storage_fails = false;
    ASSERT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    EXPECT_EQ(reports(), first);
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(reports().size(), 1u);
    EXPECT_NE(reports(), first);
}

} // namespace
