// SPDX-License-Identifier: Apache-2.0
// The whole client over ports/storage/sotto_flash.c: power goes during any program or erase of any
// store, and again while the device comes back.
#include "life.hpp"

#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>

namespace {

constexpr uint32_t state_bytes = sizeof(budgets_client{}.state);
constexpr storage_functions right = {"nothing", sotto_flash_load, sotto_flash_store};

// Pages from the least that do, where each store moves, to such as hold some states.
using enum over_torn;
constexpr nor_shape shapes[] = {
    {SOTTO_FLASH_PAGE_BYTES_MIN(state_bytes, 4), 4, zeros, false},
    {SOTTO_FLASH_PAGE_BYTES_MIN(state_bytes, 32), 32, nothing, false},
    {4096, 8, zeros, false},
    {4096, 4, anything, false},
    {8192, 16, nothing, false},
};

struct history {
    std::string wrong;
    bool was_cut;
};

history live_on(const nor_shape &shape, uint32_t seed, const storage_functions &functions) {
    std::mt19937 dice(seed);
    nor_flash flash(shape, seed);
    life lived(seed);
    lived.storage.flash = &flash;
    lived.storage.in_flash = functions;
    lived.storage.switch_on();
    const size_t store = dice() % 24, steps = 3 * state_bytes / shape.unit_bytes;
    lived.storage.cut_store = store;
    lived.storage.cut_byte = dice() % steps;
    lived.storage.kind = static_cast<tear>(dice() % static_cast<uint32_t>(tear::kinds));
    if (lived.begin()) {
        lived.live(24);
    }
    const bool was_cut = !flash.has_power;
    for (uint32_t i = 0; i < seed % 4; ++i) { // and again while it comes back
        lived.flicker(dice() % 5, dice() % steps, lived.storage.kind);
    }
    lived.reboot();
    lived.live(16);
    lived.reboot();
    lived.finish();
    return {lived.seen.wrong.empty() ? flash.wrong : lived.seen.wrong, was_cut};
}

constexpr uint32_t lives = 2000;

TEST(PowerLossOnFlash, AtAnyStepOfAnyStore) {
    uint32_t cuts = 0;
    for (uint32_t seed = 0; seed < lives; ++seed) {
        const history h = live_on(shapes[seed % std::size(shapes)], seed, right);
        ASSERT_EQ(h.wrong, "") << "seed " << seed;
        cuts += h.was_cut ? 1 : 0;
    }
    EXPECT_GT(cuts, lives / 4) << "hardly anything was cut";
}

// The client's two copies make up for the other planted faults; storage_flash finds them.
TEST(PowerLossOnFlash, PlantedFaultsAreFound) {
    for (const storage_functions &fault : {planted_faults.front(), planted_faults.back()}) {
        bool is_found = false;
        for (uint32_t seed = 0; !is_found && seed < lives; ++seed) {
            is_found = !live_on(shapes[seed % std::size(shapes)], seed, fault).wrong.empty();
        }
        EXPECT_TRUE(is_found) << fault.name;
    }
}

// A page that is a unit smaller refuses the state, at once and for good: nothing is published.
TEST(PowerLossOnFlash, APageHasRoomOrNothingIsStored) {
    for (const uint32_t unit : {2u, 4u, 8u, 16u, 32u}) {
        const uint32_t least = SOTTO_FLASH_PAGE_BYTES_MIN(state_bytes, unit);
        ASSERT_EQ(least % unit, 0u);
        for (const uint32_t page : {least, least - unit}) {
            nor_flash flash({page, unit, nothing, false}, 2);
            life lived(1);
            lived.storage.flash = &flash;
            lived.storage.in_flash = right;
            lived.storage.switch_on();
            EXPECT_EQ(lived.begin(), page == least) << unit;
            EXPECT_EQ(flash.wrong, "");
        }
    }
}

} // namespace
