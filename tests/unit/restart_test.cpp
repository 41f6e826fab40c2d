// SPDX-License-Identifier: Apache-2.0
// A source that begins again at every start where it began before: not random, and not noticed.
#include "state.hpp"

#include "client/randomness.hpp"

#include <set>

namespace {

using release_key = std::array<uint8_t, sizeof(sotto_release::key)>;

class Restart : public State {
  protected:
    sotto_status restart() {
        fake.state = 1;
        return reboot();
    }
    // All noise of a measurement of this epoch follows from this key.
    release_key measured(uint32_t epoch) {
        EXPECT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        EXPECT_EQ(door(), SOTTO_OK);
        release_key key{};
        for (size_t i = 0; i < client->memory.release_capacity; ++i) {
            const sotto_release &release = client->memory.releases[i];
            if (release.flags != 0 && release.epoch == epoch) {
                std::copy_n(release.key, key.size(), key.begin());
            }
        }
        EXPECT_NE(key, release_key{});
        return key;
    }
};

TEST_F(Restart, ALaterEpochHasOtherNoise) {
    std::set<release_key> seen;
    for (uint32_t epoch = 1; epoch < 20; ++epoch) {
        ASSERT_EQ(restart(), SOTTO_OK);
        EXPECT_TRUE(seen.insert(measured(epoch)).second) << "epoch " << epoch;
        ASSERT_EQ(flush(), SOTTO_OK);
    }
}

TEST_F(Restart, ALaterStateOfTheSameEpochHasOtherNoise) {
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    std::set<std::array<uint8_t, 32>> seen;
    for (int start = 0; start < 20; ++start) {
        ASSERT_EQ(restart(), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
        std::array<uint8_t, 32> drawn{};
        ASSERT_EQ(sotto::device::draw(*client, drawn.data(), drawn.size()), SOTTO_OK);
        EXPECT_TRUE(seen.insert(drawn).second) << "start " << start;
        ASSERT_EQ(sotto_pause(client), SOTTO_OK);
        ASSERT_EQ(sotto_resume(client), SOTTO_OK);
    }
}

TEST_F(Restart, StorageThatWasPutBackHasOtherNoiseInAnotherEpoch) {
    const auto stored = fake.slots;
    const auto again = [&](uint32_t epoch) {
        fake.slots = stored;
        EXPECT_EQ(restart(), SOTTO_OK);
        return measured(epoch);
    };
    const release_key fifth = again(5);
    EXPECT_NE(again(6), fifth);
    // The weakness that remains, as SECURITY.md says: the same day again. It shows that this source
    // begins again.
    EXPECT_EQ(again(5), fifth);
}

TEST_F(Restart, AWipedDeviceHasAnotherSecret) {
    const auto secret = fake.slots[SOTTO_SLOT_SECRET];
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    ASSERT_EQ(restart(), SOTTO_OK);
    ASSERT_EQ(fake.slots[SOTTO_SLOT_SECRET].size(), secret.size());
    EXPECT_NE(fake.slots[SOTTO_SLOT_SECRET], secret);
}

} // namespace
