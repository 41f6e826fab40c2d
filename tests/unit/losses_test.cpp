// SPDX-License-Identifier: Apache-2.0
// Every way in which what a device kept can be gone.
#include "client/stored.hpp"
#include "state.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace {

TEST(Checksum, IsFnv1a) {
    const auto hash_of = [](const char *text) {
        return sotto::device::checksum_of(reinterpret_cast<const uint8_t *>(text),
                                          std::strlen(text));
    };
    EXPECT_EQ(hash_of(""), 0x811c9dc5u); // as published
    EXPECT_EQ(hash_of("a"), 0xe40c292cu);
    EXPECT_EQ(hash_of("foobar"), 0xbf9cf968u);
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
    EXPECT_EQ(sotto_advance(client, 1), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_OK) << "refused above because of the loss";
    EXPECT_EQ(flush(), SOTTO_OK);
    EXPECT_GT(length, 0u);
    EXPECT_LT(account(BUDGETS_DOOR).free_epoch, 8u);
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

// Another client on the same slots, or memory as it was before: what it would store knows nothing
// of what was charged since.
TEST(Counter, ShowsThatSomethingElseWasStored) {
    for (const bool has_counter : {true, false}) { // the control: nothing else would show it
        counted fake;
        const sotto_port port = has_counter ? fake.counted_port() : fake.port();
        budgets_client device{}, other{};
        std::array<uint8_t, 512> buffer{};
        size_t length = 0;
        const auto says = [&](budgets_client &c, uint16_t metric) {
            const sotto_status status = sotto_report_boolean(&c.client, metric, true);
            return status != SOTTO_OK
                       ? status
                       : sotto_flush(&c.client, buffer.data(), buffer.size(), &length);
        };
        ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(&device.client, 0), SOTTO_OK);
        ASSERT_EQ(budgets_init(&other, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(&other.client, 0), SOTTO_OK);
        const budgets_client before = device;
        ASSERT_EQ(says(device, BUDGETS_DOOR), SOTTO_OK);
        const auto stored = fake.slots;

        const sotto_status expected = has_counter ? SOTTO_ERR_STATE_ROLLED_BACK : SOTTO_OK;
        EXPECT_EQ(says(other, BUDGETS_DOOR), expected);
        EXPECT_EQ(length == 0, has_counter);
        device = before;
        EXPECT_EQ(says(device, BUDGETS_DOOR), expected);
        EXPECT_EQ(length == 0, has_counter);
        if (has_counter) {
            EXPECT_EQ(fake.slots, stored);
            EXPECT_EQ(sotto_close(&device.client, BUDGETS_DOOR, 0), expected);
            EXPECT_EQ(sotto_pause(&device.client), expected);
            EXPECT_TRUE(sotto_is_paused(&device.client)) << "a no is a no";
            sotto_deinit(&device.client);
            ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK) << "which leads on";
            ASSERT_EQ(sotto_advance(&device.client, 0), SOTTO_OK);
            EXPECT_EQ(says(device, BUDGETS_DOOR), SOTTO_ERR_ALREADY_REPORTED);
            EXPECT_EQ(says(device, BUDGETS_ALARM), SOTTO_OK);
        }
    }
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
    const auto spent = [&] {
        std::array<uint32_t, 4> charges{};
        for (uint16_t i = 0; i < charges.size(); ++i) {
            charges[i] = account(static_cast<uint16_t>(i + 1)).spent;
        }
        return charges;
    };
    const auto before = spent();
    ASSERT_GT(before[0], 0u);
    size_t refused = 0;
    for (size_t i = 0; i < std::size(device.state.accounts); ++i) {
        const sotto_status status = with([i](auto &state) { state.accounts[i] = UINT32_MAX; });
        EXPECT_TRUE(status == SOTTO_OK || status == SOTTO_ERR_STATE_CORRUPT ||
                    status == SOTTO_ERR_METRIC_CHANGED);
        refused += status == SOTTO_OK ? 0 : 1;
        const auto after = status == SOTTO_OK ? spent() : before;
        for (size_t id = 0; id < before.size(); ++id) {
            EXPECT_GE(after[id], before[id])
                << "word " << i << " gives metric " << id + 1 << " back";
        }
    }
    EXPECT_GT(refused, 0u);
    EXPECT_LT(refused, std::size(device.state.accounts));
    EXPECT_EQ(with([](auto &state) { std::memset(state.accounts, 0, sizeof state.accounts); }),
              SOTTO_ERR_STATE_CORRUPT);
    sotto_release door{};
    door.flags = 1;
    door.metric_id = BUDGETS_DOOR;
    for (sotto_release r : {door, door}) {
        static int which = 0;
        r.level = which == 0 ? 3 : 0;
        r.pending = which == 1 ? 8 : 0;
        ++which;
        EXPECT_EQ(with([r](auto &state) { state.releases[0] = r; }), SOTTO_ERR_STATE_CORRUPT);
    }
    EXPECT_EQ(with([](auto &state) { state.releases[0].metric_id = 0xffff; }), SOTTO_OK);
    sotto_release_info info{};
    EXPECT_EQ(sotto_get_release(client, 0, &info), SOTTO_ERR_NO_RELEASE) << "it is closed";
    // Waiting levels would be looked up, whether the place is open or not.
    for (uint16_t sotto_release::*levels :
         {&sotto_release::pending, &sotto_release::batch, &sotto_release::batch_before}) {
        EXPECT_EQ(with([levels](auto &state) { state.releases[5].*levels = 1; }),
                  SOTTO_ERR_STATE_CORRUPT);
        EXPECT_EQ(with([levels](auto &state) {
                      state.releases[5].*levels = 1;
                      state.releases[5].metric_id = BUDGETS_DOOR;
                  }),
                  SOTTO_ERR_STATE_CORRUPT);
    }
    EXPECT_EQ(with([](auto &state) { state.head.epoch = UINT32_MAX; }), SOTTO_ERR_STATE_CORRUPT)
        << "open, and there was no epoch yet";
    // Costs are looked up by the level that a slot names: 4 has three, one of them forward. A slot
    // that names another is spent.
    constexpr size_t app = (5 + 13) + (5 + 9) + 5 + (5 + 5);
    for (uint32_t level = 0; level < 5; ++level) {
        EXPECT_EQ(with([level](auto &state) {
                      ASSERT_EQ(state.accounts[app] & 0xffff, BUDGETS_APP);
                      state.accounts[app + 5] = level << 24 | 1;
                  }),
                  SOTTO_OK);
        ASSERT_EQ(sotto_advance_far(client, 0), SOTTO_OK);
        EXPECT_EQ(sotto_report_string(client, BUDGETS_APP, "maps", 4),
                  level < 3 ? SOTTO_OK : SOTTO_ERR_BUDGET)
            << level;
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

TEST_F(State, WipeWaitsForASlotThatCantBeRead) {
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
    const auto stored = fake.slots;
    EXPECT_EQ(init(), SOTTO_ERR_STORAGE);
    EXPECT_EQ(sotto_wipe(client), SOTTO_ERR_STORAGE) << "it may be the newest";
    EXPECT_EQ(fake.slots, stored);
    fake.stores = 10; // and it can be read again
    EXPECT_EQ(sotto_wipe(client), SOTTO_OK);
    EXPECT_EQ(begin(1), SOTTO_OK);
}

// The state of a larger firmware can't be read here, and may be needed there again.
TEST_F(State, WipeOfALargerStateBeginsWithTheOlderCopy) {
    const size_t words = account_words({7, 5, 0, 3, 7, 0}, 2);
    for (uint32_t epoch = 0; epoch < 4; ++epoch) {
        fake.forget();
        ASSERT_EQ(boot(registry, words), SOTTO_OK);
        for (uint32_t e = 0; e <= epoch; ++e) { // either copy is the newest
            ASSERT_EQ(sotto_advance(client, e), SOTTO_OK);
            ASSERT_EQ(door(), SOTTO_OK);
            ASSERT_EQ(flush(), SOTTO_OK);
        }
        const uint32_t spent = account(BUDGETS_DOOR).spent;
        ASSERT_EQ(reboot(), SOTTO_ERR_STATE_SIZE);
        const auto store = port.store;
        port.store = [](void *context, uint32_t slot, const uint8_t *, size_t) -> sotto_status {
            static_cast<fake_port *>(context)->slots[slot].assign(5, 0xff); // and power goes
            return SOTTO_ERR_STORAGE;
        };
        ASSERT_EQ(reboot(), SOTTO_ERR_STATE_SIZE);
        ASSERT_EQ(sotto_wipe(client), SOTTO_ERR_STORAGE);
        port.store = store;
        ASSERT_EQ(boot(registry, words), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        EXPECT_EQ(account(BUDGETS_DOOR).spent, spent) << epoch;
    }
}

// Somebody who can write the storage could wear the counter out with one number.
TEST(Counter, IsNotRaisedByANumberThatWasNeverStored) {
    counted fake;
    const sotto_port port = fake.counted_port();
    budgets_client device{};
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    sotto_deinit(&device.client);
    const auto good = fake.slots;
    const uint32_t count = fake.count;
    const auto starts_with = [&](uint32_t sequence) {
        std::vector<uint8_t> &bytes = fake.slots[SOTTO_SLOT_STATE_B];
        decltype(device.state) state;
        std::memcpy(&state, bytes.data(), sizeof state);
        state.head.sequence = sequence;
        state.head.epoch = UINT32_MAX - 1;
        std::memcpy(bytes.data(), &state, sizeof state);
        state.head.checksum = sotto::device::state_checksum(bytes.data(), bytes.size());
        std::memcpy(bytes.data(), &state, sizeof state);
        return budgets_init(&device, &port);
    };
    for (const uint32_t sequence : {UINT32_MAX, UINT32_MAX - 1, count + 2}) {
        fake.slots = good;
        EXPECT_EQ(starts_with(sequence), SOTTO_ERR_STATE_FORGED) << sequence;
        EXPECT_EQ(fake.count, count);
        sotto_deinit(&device.client);
    }
    fake.slots = good;
    EXPECT_EQ(budgets_init(&device, &port), SOTTO_OK) << "nothing is lost";
    sotto_deinit(&device.client);
    ASSERT_EQ(starts_with(UINT32_MAX), SOTTO_ERR_STATE_FORGED);
    ASSERT_EQ(sotto_wipe(&device.client), SOTTO_OK);
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    EXPECT_EQ(sotto_advance_far(&device.client, 7), SOTTO_OK) << "its epoch is not kept either";
    EXPECT_LT(fake.count, count + 8);
    // The control: the next number is that of a store that was cut before its step.
    sotto_deinit(&device.client);
    fake.slots[SOTTO_SLOT_STATE_B] = good[SOTTO_SLOT_STATE_B];
    EXPECT_EQ(starts_with(fake.count + 1), SOTTO_OK);
}

TEST(Counter, ThatDoesNotRiseIsAFailureOfThePort) {
    counted fake;
    sotto_port port = fake.counted_port();
    budgets_client device{};
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    sotto_deinit(&device.client);
    port.counter = [](void *, uint32_t *value, uint32_t) -> sotto_status {
        *value = 2; // worn out
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
