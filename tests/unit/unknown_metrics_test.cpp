// SPDX-License-Identifier: Apache-2.0
// A firmware without some of a device's metrics, in a state that has room for their accounts.
#include "client/stored.hpp"
#include "privacy/ledger.hpp"
#include "state.hpp"

#include <gtest/gtest.h>

namespace {

constexpr size_t room = 150; // words of accounts, and 96 are needed

class UnknownMetrics : public State {
  protected:
    void SetUp() override {
        fake.forget();
        ASSERT_EQ(start_all(), SOTTO_OK);
    }
    // A device whose registry has all metrics, or all but one.
    sotto_status start_all(size_t words = room) {
        registry.metrics = metrics.data();
        registry.metric_count = static_cast<uint16_t>(metrics.size());
        registry.fingerprint = 1;
        return start(words);
    }
    sotto_status start_without(uint16_t id, size_t words = room) {
        fewer_.clear();
        for (const sotto_metric &metric : metrics) {
            if (metric.id != id) {
                fewer_.push_back(metric);
            }
        }
        registry.metrics = fewer_.data();
        registry.metric_count = static_cast<uint16_t>(fewer_.size());
        registry.fingerprint = 2;
        return start(words);
    }
    sotto_status start(size_t words) {
        const sotto_status status = boot(registry, words);
        return status == SOTTO_OK ? sotto_advance(client, epoch) : status;
    }
    sotto_status app(const char *text = "maps") {
        return sotto_report_string(client, BUDGETS_APP, text, 4);
    }
    void pass(uint32_t epochs) { ASSERT_EQ(sotto_advance(client, epoch += epochs), SOTTO_OK); }

    uint32_t epoch = 0;

  private:
    std::vector<sotto_metric> fewer_;
};

TEST_F(UnknownMetrics, KeepTheirAccountOnTheWayBackAndForth) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const uint32_t spent = account(BUDGETS_DOOR).spent, by_all = account(0).spent;
    ASSERT_EQ(start_without(BUDGETS_DOOR), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_UNKNOWN_METRIC);
    EXPECT_EQ(account(0).spent, by_all);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 3), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(start_without(BUDGETS_DOOR), SOTTO_OK) << "and it was stored like that";
    ASSERT_EQ(start_all(), SOTTO_OK);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, spent);
    EXPECT_EQ(account(BUDGETS_DOOR).measured, 1u);
    EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
}

TEST_F(UnknownMetrics, GrowOldWithTheOthers) {
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(door(), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
        ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, epoch, 2), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
        pass(1);
    }
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
    const uint32_t free = account(BUDGETS_DOOR).free_epoch;
    ASSERT_GT(free, epoch + 1);
    ASSERT_EQ(start_without(BUDGETS_DOOR), SOTTO_OK);
    pass(free - epoch - 1);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 3), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(start_all(), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET) << "one epoch too early";
    pass(1);
    EXPECT_EQ(door(), SOTTO_OK);
}

TEST_F(UnknownMetrics, HaveTheirReleasesClosedAndNoOthers) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 3), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    auto both = reports(registry);
    ASSERT_EQ(both.size(), 2u);
    ASSERT_EQ(start_without(BUDGETS_DOOR), SOTTO_OK);
    ASSERT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    const auto left = reports(registry);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(both[left.begin()->first], left.begin()->second) << "the same report";
    EXPECT_EQ(sotto_relax(client, BUDGETS_ROOM, epoch, 1), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(start_all(), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, epoch, 1), SOTTO_ERR_NO_RELEASE);
}

// Noise that releases share: their cost stands in an account that this registry can't read.
TEST_F(UnknownMetrics, ThatShareNoiseSpendTheDevicesBudgetOfTheirEpochs) {
    ASSERT_EQ(app(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    pass(1);
    ASSERT_EQ(start_without(BUDGETS_APP), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
    EXPECT_EQ(account(0).free_epoch, 7u) << "as epoch 0 has left the device's window";
    pass(6);
    EXPECT_EQ(door(), SOTTO_OK);
}

TEST_F(UnknownMetrics, ThatWereNeverMeasuredSpendNothing) {
    ASSERT_EQ(start_without(BUDGETS_APP), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_OK);
}

TEST_F(UnknownMetrics, BlockAFirmwareWithoutRoomForTheirAccount) {
    const size_t needed = account_words({7, 0, 3, 7, 0}, 2); // without the door's
    fake.forget();
    ASSERT_EQ(start_all(needed + 14), SOTTO_OK) << "all of them need as much";
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(start_without(BUDGETS_DOOR, needed + 14), SOTTO_OK);
    EXPECT_EQ(start_without(BUDGETS_DOOR, needed + 13), SOTTO_ERR_STATE_SIZE);
    ASSERT_EQ(start_all(needed + 14), SOTTO_OK);
    metrics[1].window_epochs = 3; // the first firmware to know it, and it needs 5 words more
    metrics[1].budget = metrics[0].budget;
    EXPECT_EQ(start_without(BUDGETS_DOOR, needed + 14), SOTTO_ERR_METRIC_CHANGED);
    EXPECT_EQ(start_without(BUDGETS_DOOR, needed + 19), SOTTO_OK);
}

TEST_F(UnknownMetrics, KeepTheirIdFromOthers) {
    ASSERT_EQ(start_without(BUDGETS_DOOR), SOTTO_OK);
    metrics[0].fingerprint ^= 1;
    EXPECT_EQ(start_all(), SOTTO_ERR_METRIC_CHANGED);
}

// A wipe forgets which metrics there were: none is unspent that an update adds.
TEST_F(UnknownMetrics, BeginSpentAfterAWipe) {
    registry.budget = registry.window_epochs = 0; // a device's budget would be spent as well
    fake.forget();
    ASSERT_EQ(start_all(), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(start_without(BUDGETS_DOOR), SOTTO_OK);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    ASSERT_EQ(start_without(BUDGETS_DOOR), SOTTO_OK);
    pass(1);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(start_all(), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
    pass(3);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET) << "the last epoch of its window";
    pass(1);
    EXPECT_EQ(door(), SOTTO_OK);
}

// Numbers that wrap around would make an account shorter than its own slots.
TEST_F(UnknownMetrics, HaveNoMoreStateThanThereIsRoom) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto stored = fake.slots;
    const auto with = [&](uint32_t pairs) {
        fake.slots = stored;
        for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
            std::vector<uint8_t> &bytes = fake.slots[slot];
            const size_t begin =
                sizeof(sotto_state_head) + 4 * account_words({7, 5, 0, 3, 7, 0}, 2);
            const uint32_t row[] = {9 | 14 << 16, 1, 0, 1, pairs};
            std::memcpy(bytes.data() + begin, row, sizeof row);
            const uint32_t sum = sotto::device::state_checksum(bytes.data(), bytes.size());
            std::memcpy(bytes.data(), &sum, sizeof sum);
        }
        return start_all();
    };
    EXPECT_EQ(with(0), SOTTO_OK) << "the control";
    EXPECT_EQ(with(2), SOTTO_OK) << "the control";
    EXPECT_EQ(with(UINT32_MAX), SOTTO_ERR_STATE_CORRUPT);
}

// The room behind the accounts begins with zeros; whatever else is in it does not stay.
TEST_F(UnknownMetrics, HaveNothingBehindThem) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto stored = fake.slots;
    const auto with = [&](size_t word, uint8_t byte) {
        fake.slots = stored;
        for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
            std::vector<uint8_t> &bytes = fake.slots[slot];
            bytes[sizeof(sotto_state_head) + 4 * word] ^= byte;
            const uint32_t sum = sotto::device::state_checksum(bytes.data(), bytes.size());
            std::memcpy(bytes.data(), &sum, sizeof sum);
        }
        return start_all();
    };
    size_t word = account_words({7, 5, 0, 3, 7, 0}, 2);
    EXPECT_EQ(with(word, BUDGETS_DOOR), SOTTO_ERR_STATE_CORRUPT) << "a second account of it";
    while (++word < room) {
        ASSERT_EQ(with(word, 1), SOTTO_OK) << word;
        EXPECT_EQ(client->memory.accounts[word], 0u) << word;
    }
}

} // namespace
