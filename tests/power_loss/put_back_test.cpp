// SPDX-License-Identifier: Apache-2.0
// Somebody owns a device's storage. He keeps all that was ever stored, lets stores fail that
// happened or not, and puts any of it back at each start. With a counter and a MAC it must not pay.
#include "life.hpp"

#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace {

class thief {
  public:
    thief(life &owner, uint32_t seed) : life_(owner), dice_(seed) {
        life_.storage.steals = [this](uint32_t slot, const std::vector<uint8_t> &bytes) {
            return steals(slot, bytes);
        };
    }
    thief(const thief &) = delete;
    thief &operator=(const thief &) = delete;

    // True: the device went on from what was put back.
    bool puts_back() {
        const auto before = life_.storage.slots;
        for (uint32_t slot = 0; slot < SOTTO_SLOT_COUNT; ++slot) {
            const std::vector<image> &images = images_[slot];
            const size_t age = roll(3) == 0 ? 0 : roll(8); // the newest are the ones that may pass
            if (roll(4) != 0 && slot != SOTTO_SLOT_SECRET && age < images.size()) {
                life_.storage.slots[slot] = images[images.size() - 1 - age];
            } else if (roll(slot == SOTTO_SLOT_SECRET ? 40 : 12) == 0) {
                life_.storage.slots[slot] = age < images.size() ? images[age] : image{};
            }
        }
        const sotto_status status = life_.start_with_what_is_there();
        if (status != SOTTO_OK) {
            if (status != SOTTO_ERR_STORAGE) { // refused: nothing happened
                life_.storage.slots = before;
            }
            life_.reboot();
        }
        return status == SOTTO_OK && life_.storage.slots != before;
    }

  private:
    using image = std::vector<uint8_t>;

    uint32_t roll(uint32_t sides) { return static_cast<uint32_t>(dice_() % sides); }
    bool steals(uint32_t slot, const image &bytes) {
        images_[slot].push_back(bytes);
        const bool fails = roll(3) == 0;
        if (fails && roll(2) == 0) {
            life_.storage.slots[slot] = bytes;
        }
        return fails;
    }

    life &life_;
    std::mt19937 dice_;
    std::array<std::vector<image>, SOTTO_SLOT_COUNT> images_;
};

// How often something was put back and believed.
std::string with_thief(uint32_t seed, size_t &believed) {
    constexpr int starts = 24;
    life lived(seed);
    thief owner(lived, ~seed);
    (void)lived.begin();
    for (int i = 0; i < starts; ++i) {
        lived.live(1 + static_cast<int>((seed + static_cast<uint32_t>(i)) % 9));
        believed += owner.puts_back() ? 1 : 0;
    }
    lived.storage.steals = nullptr;
    lived.reboot();
    lived.finish();
    return lived.seen.wrong;
}

uint32_t history_count() {
    const char *text = std::getenv("SOTTO_POWER_LOSS_HISTORIES");
    return static_cast<uint32_t>(text == nullptr ? 2000 : std::strtoul(text, nullptr, 10));
}

// Seeds of `life`: bit 0 a counter, bit 1 a MAC.
TEST(PutBack, NothingOlderThanWhatWasSaidPasses) {
    size_t believed = 0;
    for (uint32_t history = 0; history < history_count(); ++history) {
        ASSERT_EQ(with_thief(4 * history + 3, believed), "") << "history " << history;
    }
    EXPECT_GT(believed, history_count()) << "a store that failed may be believed: it says more";
}

// The control.
TEST(PutBack, WithoutACounterItPays) {
    size_t believed = 0, paid = 0;
    for (uint32_t history = 0; history < 200; ++history) {
        paid += with_thief(4 * history + 2, believed).empty() ? 0 : 1;
    }
    EXPECT_GT(paid, 50u);
}

} // namespace
