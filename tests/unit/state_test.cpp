// SPDX-License-Identifier: Apache-2.0
// What a device keeps over a reboot, what it spends, and every way in which what it kept can be
// gone.
#include "client/stored.hpp"
#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace {

using id_and_level = std::tuple<std::string, uint32_t>;

class State : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    budgets_client device{};
    sotto_client *client = &device.client;
    std::array<uint8_t, 2048> buffer{};
    size_t length = 0;
    sotto_registry registry = budgets_registry;
    std::vector<sotto_metric> metrics{registry.metrics, registry.metrics + registry.metric_count};

    void SetUp() override { ASSERT_EQ(begin(0), SOTTO_OK); }
    sotto_status init() { return budgets_init(&device, &port); }
    sotto_status begin(uint32_t epoch) {
        const sotto_status status = init();
        return status == SOTTO_OK ? sotto_advance(client, epoch) : status;
    }
    sotto_status reboot() {
        std::memset(&device, 0xa5, sizeof device); // memory after power-on is anything
        return init();
    }
    sotto_status door(bool value = true) {
        return sotto_report_boolean(client, BUDGETS_DOOR, value);
    }
    sotto_status flush() { return sotto_flush(client, buffer.data(), buffer.size(), &length); }
    std::map<id_and_level, std::string> reports() const {
        std::map<id_and_level, std::string> result;
        for (const sotto_Report &r :
             read_batch(buffer.data(), length, budgets_registry.fingerprint).reports) {
            result[{std::string(r.release, r.release + 8), r.level}] =
                std::to_string(r.value.index);
        }
        return result;
    }
    sotto_account account(uint16_t id) {
        sotto_account a{};
        EXPECT_EQ(sotto_get_account(client, id, &a), SOTTO_OK);
        return a;
    }
    uint32_t cost(uint16_t id, uint32_t level) const {
        const auto m = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const sotto_metric &one) { return one.id == id; });
        return m->cost[level];
    }
    static constexpr uint16_t capacity = 17; // more than budgets_client has

    // Another firmware on the same device, in memory that fits it.
    sotto_status boot(const sotto_registry &with, size_t account_words) {
        std::memset(&device, 0, sizeof device);
        other_state_.assign(10 + account_words + capacity * (14 + 1), 0);
        sotto_memory memory{};
        memory.head = reinterpret_cast<sotto_state_head *>(other_state_.data());
        memory.accounts = other_state_.data() + 10;
        memory.releases = reinterpret_cast<sotto_release *>(memory.accounts + account_words);
        memory.words = memory.accounts + account_words + capacity * 14;
        memory.work = other_work_.data();
        memory.random = device.random;
        memory.account_words = static_cast<uint16_t>(account_words);
        memory.release_capacity = capacity;
        memory.words_per_release = 1;
        memory.random_bytes = sizeof device.random;
        return sotto_init(client, &with, &port, &memory);
    }
    static size_t account_words(const std::vector<uint32_t> &windows, size_t tags) {
        size_t words = 5 * windows.size() + 2 * tags;
        for (const uint32_t window : windows) {
            words += window == 0 ? 0 : 2 * window - 1;
        }
        return words;
    }

  private:
    std::vector<uint32_t> other_state_;
    std::array<uint32_t, 2> other_work_{};
};

TEST(Checksum, IsMurmurHash3) {
    const auto of = [](const char *text) {
        return sotto::device::checksum_of(reinterpret_cast<const uint8_t *>(text),
                                          std::strlen(text));
    };
    EXPECT_EQ(of(""), 0u);
    EXPECT_EQ(of("test"), 0xba6bd213u); // as published
    EXPECT_EQ(of("a string of thirty-six characters 12"), 0x50682196u);
}

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
    EXPECT_EQ(sotto_resend(client, buffer.data(), 64, &length), SOTTO_ERR_BUFFER_TOO_SMALL);
    EXPECT_EQ(length, 0u);
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    EXPECT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_ERR_NO_BATCH);
    EXPECT_EQ(length, 0u);
}

TEST_F(State, ReleasesAreRelaxedAfterAReboot) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    auto all = reports();
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 2), SOTTO_OK);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, cost(BUDGETS_DOOR, 2)) << "the difference was charged";
    ASSERT_EQ(flush(), SOTTO_OK);
    all.merge(reports());
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(std::get<0>(all.begin()->first), std::get<0>(all.rbegin()->first)) << "one release";
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

TEST_F(State, EachLossHasItsErrorAndOnlyWipeLeadsOn) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto whole = fake.slots;
    using slots = decltype(fake.slots) &;
    const auto rot = [](std::vector<uint8_t> &slot) { slot[slot.size() / 2] ^= 1; };
    const std::pair<sotto_status, std::function<void(slots)>> losses[] = {
        {SOTTO_ERR_STATE_MISSING,
         [](slots s) {
             s[SOTTO_SLOT_STATE_A].clear();
             s[SOTTO_SLOT_STATE_B].clear();
         }},
        {SOTTO_ERR_STATE_CORRUPT,
         [&](slots s) {
             rot(s[SOTTO_SLOT_STATE_A]);
             rot(s[SOTTO_SLOT_STATE_B]);
         }},
        {SOTTO_ERR_SECRET_MISSING, [](slots s) { s[SOTTO_SLOT_SECRET].clear(); }},
        {SOTTO_ERR_SECRET_CORRUPT, [&](slots s) { rot(s[SOTTO_SLOT_SECRET]); }},
        {SOTTO_ERR_STATE_SIZE,
         [](slots s) { s[SOTTO_SLOT_STATE_B].resize(s[SOTTO_SLOT_STATE_B].size() + 4); }},
    };
    for (const auto &[expected, lose] : losses) {
        fake.slots = whole;
        lose(fake.slots);
        ASSERT_EQ(reboot(), expected);
        EXPECT_EQ(sotto_advance(client, 1), expected);
        EXPECT_EQ(door(), expected);
        EXPECT_EQ(flush(), expected);
        EXPECT_EQ(length, 0u);
        EXPECT_EQ(sotto_pending(client), 0u);
        ASSERT_EQ(init(), expected) << "trying again changes nothing";
        ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
        ASSERT_EQ(begin(1), SOTTO_OK);
        EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
        EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 8u);
        sotto_deinit(client);
    }
    fake.slots = whole;
    EXPECT_EQ(reboot(), SOTTO_OK) << "the control: nothing lost";
}

TEST_F(State, OneRottenCopyIsNoLoss) {
    for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
        ASSERT_EQ(flush(), SOTTO_OK);
        fake.slots[slot][20] ^= 8;
        EXPECT_EQ(reboot(), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 1 + slot), SOTTO_OK);
        ASSERT_EQ(door(), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
    }
}

struct counted : fake_port {
    uint32_t count = 0;
    sotto_port counted_port() {
        sotto_port port = fake_port::port();
        port.counter = [](void *context, uint32_t *value, uint32_t raise_to) -> sotto_status {
            auto &self = *static_cast<counted *>(static_cast<fake_port *>(context));
            self.count = std::max(self.count, raise_to);
            *value = self.count;
            return SOTTO_OK;
        };
        return port;
    }
};

TEST(Counter, ShowsARollback) {
    counted fake;
    const sotto_port port = fake.counted_port();
    budgets_client device{};
    std::array<uint8_t, 512> buffer{};
    size_t length = 0;
    auto old = fake.slots;
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    for (uint32_t epoch = 0; epoch < 3; ++epoch) {
        ASSERT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(&device.client, BUDGETS_DOOR, true), SOTTO_OK);
        ASSERT_EQ(sotto_flush(&device.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        if (epoch == 0) {
            old = fake.slots;
        }
    }
    sotto_deinit(&device.client);
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK) << "as it was left";
    sotto_deinit(&device.client);
    fake.slots = old;
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_ERR_STATE_ROLLED_BACK);
    fake.forget();
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_ERR_STATE_ROLLED_BACK) << "to nothing at all";
    ASSERT_EQ(sotto_wipe(&device.client), SOTTO_OK);
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    EXPECT_GT(fake.count, 4u);
}

TEST_F(State, AccountsGoOverToANewRegistry) {
    ASSERT_EQ(sotto_report_integer(client, BUDGETS_POWER, 4), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const uint32_t spent = account(0).spent, by_door = account(BUDGETS_DOOR).spent;
    const auto old = fake.slots;
    registry.fingerprint ^= 1;
    // A new metric, and 3 gets a longer window.
    metrics[2].window_epochs = 5;
    metrics.push_back(metrics[4]);
    metrics[5].id = 6;
    metrics[5].fingerprint ^= 1;
    registry.metrics = metrics.data();
    registry.metric_count = 6;
    const size_t words = account_words({7, 5, 0, 5, 4, 0, 0}, 2);
    ASSERT_EQ(boot(registry, words), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(account(0).spent, spent);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, by_door);
    EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(account(BUDGETS_POWER).spent, cost(BUDGETS_POWER, 0));
    EXPECT_EQ(account(6).measured, 0u);
    EXPECT_EQ(sotto_report_boolean(client, 6, true), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_ERR_NO_RELEASE) << "closed";
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(boot(registry, words), SOTTO_OK) << "and it was stored like that";
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_SIZE) << "the older firmware has less room";
    // What a metric has spent is never forgotten by leaving it out.
    fake.slots = old;
    metrics.erase(metrics.begin() + 1);
    registry.metric_count = 5;
    EXPECT_EQ(boot(registry, account_words({7, 5, 5, 4, 0, 0}, 2)), SOTTO_ERR_METRIC_CHANGED);
}

// A state that is whole by its checksum and still none: nothing may be read or written elsewhere.
TEST_F(State, DamageThatTheChecksumDoesNotShowIsRefused) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto good = fake.slots;
    const auto with = [&](auto &&damage) {
        fake.slots = good;
        for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
            decltype(device.state) state;
            std::memcpy(&state, fake.slots[slot].data(), sizeof state);
            damage(state);
            std::vector<uint8_t> &bytes = fake.slots[slot];
            std::memcpy(bytes.data(), &state, sizeof state);
            state.head.checksum = sotto::device::state_checksum(bytes.data(), bytes.size());
            std::memcpy(bytes.data(), &state, sizeof state);
        }
        return reboot();
    };
    EXPECT_EQ(with([](auto &) {}), SOTTO_OK) << "the control";
    for (size_t i = 0; i < std::size(device.state.accounts); ++i) {
        const sotto_status status = with([i](auto &state) { state.accounts[i] = UINT32_MAX; });
        EXPECT_TRUE(status == SOTTO_OK || status == SOTTO_ERR_STATE_CORRUPT ||
                    status == SOTTO_ERR_METRIC_CHANGED);
    }
    EXPECT_EQ(with([](auto &state) { std::memset(state.accounts, 0, sizeof state.accounts); }),
              SOTTO_ERR_STATE_CORRUPT);
    for (sotto_release r : {sotto_release{}, sotto_release{}, sotto_release{}}) {
        static int which = 0;
        r.flags = 1;
        r.metric_index = which == 0 ? 0xffff : 0;
        r.level = which == 1 ? 3 : 0;
        r.pending = which == 2 ? 8 : 0;
        ++which;
        EXPECT_EQ(with([r](auto &state) { state.releases[0] = r; }), SOTTO_ERR_STATE_CORRUPT);
    }
    // As another registry's: the same rows, read by their own sizes.
    EXPECT_EQ(with([](auto &state) {
                  state.head.registry ^= 1;
                  state.accounts[0] = 7u << 16 | 1; // a metric where the device should be
              }),
              SOTTO_ERR_STATE_CORRUPT);
    EXPECT_EQ(with([](auto &state) {
                  state.head.registry ^= 1;
                  state.accounts[5 + 13 + 5 + 9] = 1; // the first metric twice
              }),
              SOTTO_ERR_STATE_CORRUPT);
}

// What a longer window should remember and can't counts as spent.
TEST_F(State, ALongerWindowKnowsLess) {
    registry.fingerprint ^= 1;
    registry.metrics = metrics.data();
    registry.window_epochs = 20;
    ASSERT_EQ(boot(registry, account_words({20, 5, 0, 3, 4, 0}, 2)), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
    EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 7u);
}

TEST_F(State, AChangedDefinitionIsRefused) {
    registry.fingerprint ^= 1;
    metrics[0].fingerprint ^= 1;
    registry.metrics = metrics.data();
    const size_t words = account_words({7, 5, 0, 3, 4, 0}, 2);
    ASSERT_EQ(boot(registry, words), SOTTO_ERR_METRIC_CHANGED);
    EXPECT_EQ(door(), SOTTO_ERR_METRIC_CHANGED);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    EXPECT_EQ(boot(registry, words), SOTTO_OK);
}

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
                                 sizeof device.random};
    static sotto_client one;
    ASSERT_EQ(sotto_init(&one, &registry, &port, &memory), SOTTO_OK);
    ASSERT_EQ(sotto_advance(&one, 0), SOTTO_OK);
    for (int i = 0; i < 130; ++i) {
        ASSERT_EQ(sotto_report_boolean(&one, BUDGETS_DOOR, true), SOTTO_OK);
    }
    EXPECT_EQ(sotto_relax(&one, BUDGETS_DOOR, 0, 1), SOTTO_ERR_BUDGET);
    EXPECT_EQ(sotto_pending(&one), 130u);
    EXPECT_EQ(sotto_deinit(&one), SOTTO_OK);
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

TEST_F(State, WipeLeadsOnFromASlotThatCantBeRead) {
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    sotto_deinit(client);
    port.load = [](void *context, uint32_t slot, uint8_t *bytes, size_t room) -> int32_t {
        const auto &self = *static_cast<fake_port *>(context);
        if (slot == SOTTO_SLOT_STATE_A && self.stores < 10) {
            return SOTTO_ERR_STORAGE;
        }
        std::copy_n(self.slots[slot].begin(), std::min(self.slots[slot].size(), room), bytes);
        return static_cast<int32_t>(self.slots[slot].size());
    };
    fake.stores = 0;
    EXPECT_EQ(init(), SOTTO_ERR_STORAGE);
    EXPECT_EQ(sotto_wipe(client), SOTTO_OK);
    fake.stores = 10; // it was written anew
    EXPECT_EQ(begin(1), SOTTO_OK);
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

TEST(Counter, ThatDoesNotRiseIsAFailureOfThePort) {
    counted fake;
    sotto_port port = fake.counted_port();
    budgets_client device{};
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    sotto_deinit(&device.client);
    port.counter = [](void *, uint32_t *value, uint32_t) -> sotto_status {
        *value = 1; // worn out
        return SOTTO_OK;
    };
    std::array<uint8_t, 512> buffer{};
    size_t length = 0;
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    ASSERT_EQ(sotto_advance(&device.client, 0), SOTTO_OK);
    ASSERT_EQ(sotto_report_boolean(&device.client, BUDGETS_DOOR, true), SOTTO_OK);
    EXPECT_EQ(sotto_flush(&device.client, buffer.data(), buffer.size(), &length),
              SOTTO_ERR_STORAGE);
    EXPECT_EQ(length, 0u);
}

} // namespace
