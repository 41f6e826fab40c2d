// SPDX-License-Identifier: Apache-2.0
// A batch is the same whenever it is asked for.
#include "state.hpp"

#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>

namespace {

using bytes = std::vector<uint8_t>;

class Batches : public State {
  protected:
    bytes sent() const {
        return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(length)};
    }
    bytes again() {
        EXPECT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        return sent();
    }
    std::vector<read_report> read() const {
        return read_batch(buffer.data(), length, budgets_registry).reports;
    }
};

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

TEST_F(Batches, FitTheirBufferInAnyLaterEpoch) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    ASSERT_EQ(sotto_report_integer(client, BUDGETS_POWER, 1), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const bytes first = sent();
    ASSERT_EQ(sotto_advance_far(client, 100000), SOTTO_OK);
    ASSERT_EQ(sotto_resend(client, buffer.data(), first.size(), &length), SOTTO_OK);
    EXPECT_EQ(sent(), first) << "byte by byte";
}

// The batch before has two new releases and a level of an older one; so has the one that fails.
TEST_F(Batches, AFlushThatFailsLeavesTheOneBefore) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_OK);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
    ASSERT_EQ(sotto_report_boolean(client, BUDGETS_ALARM, true), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const bytes before = sent();
    ASSERT_EQ(sotto_relax(client, BUDGETS_ROOM, 0, 1), SOTTO_OK);
    ASSERT_EQ(sotto_report_integer(client, BUDGETS_POWER, 1), SOTTO_OK);
    fake.storage_fails = true;
    EXPECT_EQ(flush(), SOTTO_ERR_STORAGE);
    fake.storage_fails = false;
    EXPECT_EQ(again(), before);
    EXPECT_EQ(sotto_flush(client, buffer.data(), 20, &length), SOTTO_ERR_BUFFER_TOO_SMALL);
    EXPECT_EQ(again(), before);
    ASSERT_EQ(flush(), SOTTO_OK);
    const std::vector<read_report> now = read();
    ASSERT_EQ(now.size(), 2u);
    EXPECT_TRUE(now[0].is_known) << "its id was in the batch before";
    EXPECT_FALSE(now[1].is_known);
    const bytes last = sent();
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(again(), last) << "byte by byte";
}

// Several levels of a new release: the first is new, the others carry the id that it got.
TEST_F(Batches, LaterLevelsCarryTheIdOfTheFirst) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 2), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const std::vector<read_report> levels = read();
    ASSERT_EQ(levels.size(), 3u);
    for (const read_report &r : levels) {
        EXPECT_EQ(r.is_known, r.level > 0);
        EXPECT_EQ(r.release, levels[0].release);
    }
}

// The seed follows from the first release, and places follow from all: ids are written out then.
TEST_F(Batches, WithoutAReleaseTheOthersKeepTheirIds) {
    const uint16_t ids[] = {BUDGETS_DOOR, BUDGETS_ROOM, BUDGETS_ALARM};
    for (size_t gone = 0; gone < 3; ++gone) {
        fake.forget();
        ASSERT_EQ(reboot(), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
        ASSERT_EQ(door(), SOTTO_OK);
        ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(client, BUDGETS_ALARM, true), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
        std::vector<read_report> first = read();
        ASSERT_EQ(first.size(), 3u);
        first.erase(first.begin() + static_cast<std::ptrdiff_t>(gone));
        ASSERT_EQ(sotto_close(client, ids[gone], 0), SOTTO_OK);
        for (int i = 0; i < 2; ++i) {
            ASSERT_LE(again().size(), size_t{BUDGETS_FLUSH_BYTES_MAX});
            const std::vector<read_report> rest = read();
            ASSERT_EQ(rest.size(), 2u);
            for (size_t k = 0; k < 2; ++k) {
                EXPECT_TRUE(rest[k].is_known) << gone;
                EXPECT_EQ(rest[k].release, first[k].release) << gone;
                EXPECT_EQ(rest[k].index, first[k].index) << gone;
            }
            ASSERT_EQ(reboot(), SOTTO_OK);
            ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
        }
    }
}

TEST_F(Batches, ArePaddedAsTheRegistrySays) {
    const auto length_with = [&](uint8_t step) {
        fake.forget();
        registry.padding_bytes = step;
        std::memset(&device, 0, sizeof device);
        EXPECT_EQ(boot(registry, account_words({7, 5, 0, 3, 7, 0}, 2)), SOTTO_OK);
        EXPECT_EQ(sotto_advance(client, 0), SOTTO_OK);
        EXPECT_EQ(door(), SOTTO_OK);
        EXPECT_EQ(flush(), SOTTO_OK);
        return read_batch(buffer.data(), length, registry).batch_bytes;
    };
    const size_t plain = length_with(0);
    for (const uint8_t step : std::initializer_list<uint8_t>{8, 16, 32, 64}) {
        const size_t padded = length_with(step);
        EXPECT_EQ(padded % step, 0u);
        EXPECT_GE(padded, plain);
        EXPECT_LE(padded, plain + step + 1) << "a padding of one byte can't be written";
    }
}

} // namespace
