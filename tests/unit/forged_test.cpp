// SPDX-License-Identifier: Apache-2.0
// A writer of storage makes a state, or a secret, of their own. With the port's mac it is refused,
// and with its counter an older one too, whatever was changed in it.
#include "client/stored.hpp"
#include "state.hpp"

namespace {

using sotto::device::state_checksum;

// With a counter and a key that stand outside the slots.
class Forged : public State {
  protected:
    struct trusted {
        fake_port *storage;
        uint32_t count = 0;
        uint8_t key[32] = {42};
        bool fails = false, is_stuck = false;
    } chip{&fake};

    void SetUp() override {
        port.context = &chip;
        port.load = [](void *context, uint32_t slot, uint8_t *bytes, size_t room) {
            fake_port *const storage = static_cast<trusted *>(context)->storage;
            return storage->port().load(storage, slot, bytes, room);
        };
        port.store = [](void *context, uint32_t slot, const uint8_t *bytes, size_t size) {
            fake_port *const storage = static_cast<trusted *>(context)->storage;
            return storage->port().store(storage, slot, bytes, size);
        };
        port.counter = raise;
        port.mac = authenticate;
        ASSERT_EQ(begin(0), SOTTO_OK);
        ASSERT_EQ(door(), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
    }
    // All that a copy says, with the checksum that anybody can compute.
    template <typename Change> void change(Change what) {
        for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
            decltype(device.state) state;
            std::vector<uint8_t> &bytes = fake.slots[slot];
            std::memcpy(&state, bytes.data(), sizeof state);
            what(state);
            std::memcpy(bytes.data(), &state, sizeof state);
            state.head.checksum = state_checksum(bytes.data(), bytes.size());
            std::memcpy(bytes.data(), &state, sizeof state);
        }
    }
    static void forget_charges(decltype(budgets_client::state) &state) {
        state.accounts[5] = state.accounts[5 + 13 + 5] = 0;
    }
    static sotto_status raise(void *context, uint32_t *value, uint32_t raise_to) {
        auto &self = *static_cast<trusted *>(context);
        *value = self.count = self.is_stuck ? self.count : std::max(self.count, raise_to);
        return SOTTO_OK;
    }
    static sotto_status authenticate(void *context, const uint8_t *digest, uint8_t *tag) {
        const auto &self = *static_cast<trusted *>(context);
        return self.fails ? sotto_status{SOTTO_ERR_CRYPTO}
                          : sotto_hmac_sha256(self.key, digest, tag);
    }
};

TEST_F(Forged, AStateIsRefused) {
    const auto good = fake.slots;
    change([](auto &) {});
    ASSERT_EQ(reboot(), SOTTO_OK) << "the control: nothing changed";
    change(forget_charges);
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_FORGED);
    EXPECT_EQ(door(), SOTTO_ERR_STATE_FORGED);
    EXPECT_EQ(flush(), SOTTO_ERR_STATE_FORGED);
    fake.slots = good;
    EXPECT_EQ(reboot(), SOTTO_OK);
    // The control: without the mac it is believed, and the budget is whole again.
    change(forget_charges);
    port.mac = nullptr;
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, 0u);
}

TEST_F(Forged, EveryByteCounts) {
    const auto good = fake.slots;
    const size_t size = good[SOTTO_SLOT_STATE_A].size();
    for (size_t at = 4; at < size; ++at) {
        fake.slots = good;
        change([at](auto &state) { reinterpret_cast<uint8_t *>(&state)[at] ^= 0x80; });
        const sotto_status status = reboot();
        EXPECT_TRUE(status == SOTTO_ERR_STATE_FORGED ||
                    (status == SOTTO_ERR_STATE_CORRUPT && at >= 20 && at < 24)) // its format
            << at << ": " << status;
    }
}

TEST_F(Forged, ASecretIsRefused) {
    const auto good = fake.slots;
    sotto::device::stored_secret own{};
    const uint8_t known[32] = {1, 2, 3};
    own.write(known);
    fake.slots[SOTTO_SLOT_SECRET].assign(own.bytes, own.bytes + sizeof own.bytes);
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_FORGED);
    port.mac = nullptr;
    EXPECT_EQ(reboot(), SOTTO_OK) << "the control: whoever chose it knows the permanent noise";
    port.mac = authenticate;
    fake.slots = good;
    fake.slots[SOTTO_SLOT_SECRET].clear();
    EXPECT_EQ(reboot(), SOTTO_ERR_SECRET_MISSING) << "lost is not forged";
}

TEST_F(Forged, AnOlderStateIsRefusedWhateverItsSequenceSays) {
    const auto old = fake.slots;
    for (uint32_t epoch = 1; epoch < 4; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(door(), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
    }
    fake.slots = old;
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_ROLLED_BACK);
    const auto as_counted = [this](auto &state) { state.head.sequence = chip.count; };
    change(as_counted);
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_FORGED);
    // The control: without the mac the counter alone believes it.
    port.mac = nullptr;
    EXPECT_EQ(reboot(), SOTTO_OK);
    // Without the counter a MAC does not tell old from new.
    fake.slots = old;
    port.mac = authenticate;
    port.counter = nullptr;
    EXPECT_EQ(reboot(), SOTTO_OK);
}

// A store whose bytes somebody keeps, and which they let fail.
TEST_F(Forged, AStoreThatFailedIsNotPutBackOnceItsNumberWasUsed) {
    static std::vector<uint8_t> stolen;
    const auto store = port.store;
    const auto flush_fails = [&] {
        port.store = [](void *, uint32_t slot, const uint8_t *bytes, size_t size) -> sotto_status {
            stolen.assign(bytes, bytes + size);
            return slot == SOTTO_SLOT_SECRET ? SOTTO_OK : SOTTO_ERR_STORAGE;
        };
        client->port.store = port.store;
        EXPECT_EQ(flush(), SOTTO_ERR_STORAGE);
        client->port.store = port.store = store;
    };
    for (const bool is_restarted : {false, true}) {
        const uint32_t epoch = is_restarted ? 2 : 1;
        const auto before = fake.slots;
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(door(), SOTTO_OK);
        flush_fails();
        if (is_restarted) {
            fake.slots = before;
            ASSERT_EQ(reboot(), SOTTO_OK);
            ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        }
        ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 1), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
        const auto newest = fake.slots;
        for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
            for (const uint32_t other : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
                fake.slots = before;
                fake.slots[other].clear();
                fake.slots[slot] = stolen;
                EXPECT_EQ(reboot(), SOTTO_ERR_STATE_ROLLED_BACK) << is_restarted;
            }
        }
        fake.slots = newest;
        ASSERT_EQ(reboot(), SOTTO_OK);
    }
}

// The last store may be one of several that nobody knows of: only one of them is sent again.
TEST_F(Forged, ABatchIsSentAgainFromOneStateOnly) {
    const auto before = fake.slots;
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    const auto resend = [&] { return sotto_resend(client, buffer.data(), buffer.size(), &length); };
    chip.is_stuck = true; // stored, and its step is to come
    ASSERT_EQ(flush(), SOTTO_ERR_STORAGE);
    const auto first = fake.slots;
    fake.slots = before;
    chip.is_stuck = false;
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    chip.is_stuck = true;
    ASSERT_EQ(flush(), SOTTO_ERR_STORAGE);
    const auto second = fake.slots;
    chip.is_stuck = false;
    for (const auto &slots : {first, second}) { // both are believed until one has spoken
        fake.slots = slots;
        ASSERT_EQ(reboot(), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    }
    ASSERT_EQ(resend(), SOTTO_OK);
    const int stores = fake.stores;
    ASSERT_EQ(resend(), SOTTO_OK);
    EXPECT_EQ(fake.stores, stores) << "settled once a start";
    fake.slots = first;
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_ROLLED_BACK);
    fake.slots = second;
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_ROLLED_BACK);
}

// Else whoever leaves the MAC out would be taken for an older firmware.
TEST_F(Forged, AStateFromBeforeTheMacIsRefused) {
    port.mac = nullptr;
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(sotto_pause(client), SOTTO_OK);
    port.mac = authenticate;
    ASSERT_EQ(reboot(), SOTTO_ERR_STATE_FORGED);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    ASSERT_EQ(begin(1), SOTTO_OK);
    EXPECT_TRUE(sotto_is_paused(client)) << "a no stays, whoever wrote it";
    ASSERT_EQ(sotto_resume(client), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 8u);
}

// Nothing of a forged state is kept: no epoch that never comes, no sequence that wears the counter.
TEST_F(Forged, AWipeBelievesNothing) {
    change([](auto &state) {
        state.head.epoch = UINT32_MAX - 1;
        state.head.sequence = UINT32_MAX - 1;
    });
    ASSERT_EQ(reboot(), SOTTO_ERR_STATE_FORGED);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    EXPECT_LT(chip.count, 20u);
    ASSERT_EQ(begin(1), SOTTO_OK);
    EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 8u);
    sotto_deinit(client);
    EXPECT_EQ(reboot(), SOTTO_OK);
}

TEST_F(Forged, AKeyThatIsAnotherOrDoesNotAnswer) {
    chip.key[0] ^= 1;
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_FORGED);
    chip.key[0] ^= 1;
    chip.fails = true;
    EXPECT_EQ(reboot(), SOTTO_ERR_STORAGE);
    const auto stored = fake.slots;
    EXPECT_EQ(sotto_wipe(client), SOTTO_ERR_STORAGE) << "may pass";
    EXPECT_EQ(fake.slots, stored);
    chip.fails = false;
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    chip.fails = true;
    EXPECT_EQ(flush(), SOTTO_ERR_STORAGE);
    EXPECT_EQ(length, 0u);
    chip.fails = false;
    EXPECT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(reports().size(), 1u);
}

TEST(Hmac, IsThePublishedOne) {
    // Python: hmac.new(bytes(range(32)), bytes(range(32, 64)), "sha256").digest()[:16]
    uint8_t key[32], digest[32], tag[16];
    for (uint8_t i = 0; i < 32; ++i) {
        key[i] = i;
        digest[i] = static_cast<uint8_t>(32 + i);
    }
    const uint8_t expected[16] = {0x62, 0x21, 0x5d, 0xe7, 0xbd, 0xdc, 0xea, 0x7e,
                                  0x2c, 0x40, 0x47, 0xff, 0x6b, 0xb9, 0x4f, 0x8d};
    ASSERT_EQ(sotto_hmac_sha256(key, digest, tag), SOTTO_OK);
    EXPECT_TRUE(std::equal(tag, tag + 16, expected));
}

} // namespace
