// SPDX-License-Identifier: Apache-2.0
// ports/storage/sotto_flash.c on flash that is cut at every program and every erase, and again
// while it comes back.
#include "campaign.hpp"
#include "nor_flash.hpp"
#include "planted.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

namespace {

constexpr storage_functions right = {"nothing", sotto_flash_load, sotto_flash_store};

class flash_device {
  public:
    flash_device(const nor_shape &shape, uint32_t seed, const storage_functions &functions)
        : nor(shape, seed), unit_(shape.unit_bytes), functions_(functions) {
        restart();
    }
    void cut(size_t step, size_t kind) {
        nor.cut_step = step;
        nor.cut_kind = kind;
    }
    bool has_power() const { return nor.has_power; }
    void restart() {
        nor.switch_on();
        flash_ = {};
        flash_.driver = nor.driver();
        flash_.unit = unit_.data();
    }
    int32_t load(uint32_t slot, uint8_t *bytes, size_t capacity) {
        return functions_.load(&flash_, slot, bytes, capacity);
    }
    sotto_status store(uint32_t slot, const uint8_t *bytes, size_t length) {
        return functions_.store(&flash_, slot, bytes, length);
    }

    nor_flash nor;

  private:
    std::vector<uint8_t> unit_;
    storage_functions functions_;
    sotto_flash flash_{};
};

using enum over_torn;
constexpr nor_shape shapes[] = {
    {512, 4, zeros, false},     {512, 8, zeros, false},    {512, 8, nothing, false},
    {512, 4, anything, true},   {512, 8, zeros, true},     {768, 16, nothing, true},
    {1024, 32, nothing, false}, {1024, 32, zeros, true},   {1024, 16, anything, false},
    {512, 2, nothing, false},   {512, 4, anything, false},
};

std::string live(const nor_shape &shape, uint32_t seed, const std::vector<storage_cut> &cuts,
                 const storage_functions &functions = right) {
    flash_device device(shape, seed, functions);
    storage_campaign campaign(device, seed);
    const std::string wrong = campaign.run(cuts, 8);
    return wrong.empty() ? device.nor.wrong : wrong;
}

size_t history_count() {
    const char *text = std::getenv("SOTTO_POWER_LOSS_HISTORIES");
    return text == nullptr ? 20000 : std::strtoul(text, nullptr, 10);
}

TEST(FlashStorage, KeepsWhatWasStored) {
    for (const nor_shape &shape : shapes) {
        for (uint32_t seed = 0; seed < 20; ++seed) {
            ASSERT_EQ(live(shape, seed, {{SIZE_MAX, 0}, {SIZE_MAX, 0}}), "") << shape.unit_bytes;
        }
    }
}

TEST(FlashStorage, IsCutAtEveryStep) {
    for (const nor_shape &shape : shapes) {
        for (size_t step = 0; step < 200; ++step) {
            for (size_t kind = 0; kind < 4; ++kind) {
                const auto seed = static_cast<uint32_t>(step + kind);
                ASSERT_EQ(live(shape, seed, {{step, kind}}), "")
                    << "unit " << shape.unit_bytes << ", step " << step << ", kind " << kind;
            }
        }
    }
}

TEST(FlashStorage, IsCutAgainAtEveryStepOfComingBack) {
    for (size_t first = 0; first < 160; ++first) {
        for (size_t second = 0; second < 40; ++second) {
            const auto seed = static_cast<uint32_t>(first * 40 + second);
            const nor_shape &shape = shapes[seed % std::size(shapes)];
            ASSERT_EQ(live(shape, seed, {{first, seed % 3}, {second, seed % 4}}), "")
                << "seed " << seed;
        }
    }
}

std::vector<storage_cut> some_cuts(uint32_t seed) {
    std::mt19937 dice(seed);
    std::vector<storage_cut> cuts(1 + dice() % 6);
    for (storage_cut &cut : cuts) {
        cut = {dice() % 3 == 0 ? dice() % 150 : dice() % 12, dice() % 4};
    }
    return cuts;
}

TEST(FlashStorage, IsCutUpToSixTimes) {
    for (uint32_t seed = 0; seed < history_count(); ++seed) {
        const nor_shape &shape = shapes[seed % std::size(shapes)];
        ASSERT_EQ(live(shape, seed, some_cuts(seed)), "") << "seed " << seed;
    }
}

// The control: each planted fault loses something.
TEST(FlashStorage, PlantedFaultsAreFound) {
    for (const storage_functions &fault : planted_faults) {
        bool is_found = false;
        for (uint32_t seed = 0; seed < 5000 && !is_found; ++seed) {
            const nor_shape &shape = shapes[seed % std::size(shapes)];
            is_found = !live(shape, seed, some_cuts(seed), fault).empty();
        }
        EXPECT_TRUE(is_found) << fault.name;
    }
}

// An erased slot is gone from both pages, and so is what was there before it.
TEST(FlashStorage, AnErasedSlotIsNowhere) {
    flash_device device(shapes[1], 2, right);
    const std::vector<uint8_t> secret(40, 0x37), other(40, 0x73);
    ASSERT_EQ(device.store(SOTTO_SLOT_SECRET, secret.data(), secret.size()), SOTTO_OK);
    ASSERT_EQ(device.store(SOTTO_SLOT_STATE_A, other.data(), other.size()), SOTTO_OK);
    ASSERT_EQ(device.store(SOTTO_SLOT_SECRET, nullptr, 0), SOTTO_OK);
    std::vector<uint8_t> page(shapes[1].page_bytes);
    for (uint32_t number : {0u, 1u}) {
        const sotto_flash_driver &driver = *device.nor.driver();
        ASSERT_EQ(driver.read(driver.context, number, 0, page.data(), page.size()), SOTTO_OK);
        EXPECT_EQ(std::search_n(page.begin(), page.end(), 8, uint8_t{0x37}), page.end());
    }
}

// A store that does not fit changes nothing, however often it is tried.
TEST(FlashStorage, ATooLargeStoreIsRefused) {
    flash_device device(shapes[1], 2, right);
    const std::vector<uint8_t> small(40, 1), large(400, 2);
    ASSERT_EQ(device.store(SOTTO_SLOT_STATE_A, small.data(), small.size()), SOTTO_OK);
    const size_t erases = device.nor.erases;
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(device.store(SOTTO_SLOT_STATE_B, large.data(), large.size()), SOTTO_ERR_STORAGE);
    }
    uint8_t byte = 0;
    EXPECT_EQ(device.load(SOTTO_SLOT_STATE_A, &byte, 1), 40);
    EXPECT_EQ(device.nor.erases, erases);
    EXPECT_EQ(device.load(SOTTO_SLOT_COUNT, &byte, 1), SOTTO_ERR_STORAGE);
    EXPECT_EQ(device.store(SOTTO_SLOT_COUNT, &byte, 1), SOTTO_ERR_STORAGE);
}

// The formula of ports/storage/README.md: (2048 - 88 - 56 - 216 - 32) / 224 stores an erase.
TEST(FlashStorage, ErasesSeldom) {
    constexpr nor_shape shape = {2048, 8, zeros, false};
    flash_device device(shape, 2, right);
    const std::vector<uint8_t> secret(40, 1), state(200, 2);
    ASSERT_EQ(device.store(SOTTO_SLOT_SECRET, secret.data(), secret.size()), SOTTO_OK);
    const size_t before = device.nor.erases;
    for (uint32_t i = 0; i < 6000; ++i) {
        ASSERT_EQ(device.store(1 + i % 2, state.data(), state.size()), SOTTO_OK);
    }
    EXPECT_EQ(device.nor.erases - before, 856u);
}

} // namespace
