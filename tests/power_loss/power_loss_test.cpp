// SPDX-License-Identifier: Apache-2.0
// A device lives, loses its power in the middle of a store and lives on, thousands of times. It may
// never publish more than it has charged, nor say two things of one release and level. It may never
// obey a request again that it has acted upon, nor need a human.
#include "life.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace {

constexpr uint32_t state_bytes_max = sizeof(budgets_client{}.state);

constexpr int steps_before = 24, steps_after = 16;

struct counts {
    size_t stores = 0; // to cut
    uint32_t obeyed = 0;
};

// One history with one cut; what went wrong, or nothing.
std::string with_cut(uint32_t seed, size_t store, size_t byte, tear kind, bool lying = false,
                     counts *counted = nullptr, bool forgets_requests = false,
                     bool changes_firmware = false) {
    life lived(seed);
    lived.forgets_requests = forgets_requests;
    lived.changes_firmware = changes_firmware;
    lived.storage.cut_store = store;
    lived.storage.cut_byte = byte;
    lived.storage.kind = kind;
    lived.storage.is_lying = lying;
    if (lived.begin()) {
        lived.live(steps_before);
    }
    const size_t stores = lived.storage.stores;
    for (uint32_t i = 0; i < seed % 4; ++i) { // and again while it comes back
        lived.flicker((store + i) % 5, byte * (i + 3) % 700, kind);
    }
    lived.reboot();
    lived.storage.failing_store = seed % 3 == 0 ? 1 + seed % 5 : SIZE_MAX;
    lived.live(steps_after);
    lived.reboot();
    lived.finish();
    if (counted != nullptr) {
        *counted = {stores, lived.obeyed};
    }
    return lived.seen.wrong;
}

// One history that ends with a wipe, of which one load fails and one store is cut.
std::string with_cut_wipe(uint32_t seed, size_t load, size_t store, size_t byte, tear kind) {
    life lived(seed);
    lived.storage.cut_byte = byte;
    lived.storage.kind = kind;
    if (lived.begin()) {
        lived.live(steps_before);
    }
    lived.forget(seed % 4 < 2, load, store);
    lived.reboot();
    lived.live(steps_after);
    lived.reboot();
    lived.finish();
    return lived.seen.wrong;
}

size_t history_count() {
    const char *text = std::getenv("SOTTO_POWER_LOSS_HISTORIES");
    return text == nullptr ? 20000 : std::strtoul(text, nullptr, 10);
}

TEST(PowerLoss, AtAnyByteOfAnyStore) {
    std::mt19937 dice(2026);
    size_t cuts = 0, obeyed = 0;
    for (uint32_t seed = 0; seed < history_count(); ++seed) {
        const size_t store = dice() % 24;
        // The ends of a state are its head and its last words: as likely as all that lies between.
        const size_t byte = dice() % 2 == 0 ? dice() % (state_bytes_max + 1) : dice() % 64;
        const auto kind = static_cast<tear>(dice() % static_cast<uint32_t>(tear::kinds));
        counts counted;
        const std::string wrong = with_cut(seed, store, byte, kind, false, &counted);
        ASSERT_EQ(wrong, "") << "seed " << seed << ", store " << store << ", byte " << byte
                             << ", kind " << static_cast<int>(kind);
        cuts += counted.stores > store ? 1 : 0;
        obeyed += counted.obeyed;
    }
    EXPECT_GT(cuts, history_count() / 4) << "hardly anything was cut";
    EXPECT_GT(obeyed, history_count() / 5) << "hardly anything was asked for";
}

// A firmware that lacks a metric is taken back, and the metric comes again.
TEST(PowerLoss, WhileFirmwaresComeAndGo) {
    std::mt19937 dice(2029);
    size_t obeyed = 0;
    for (uint32_t seed = 0; seed < history_count() / 4; ++seed) {
        const size_t store = dice() % 24, byte = dice() % (state_bytes_max + 1);
        const auto kind = static_cast<tear>(dice() % static_cast<uint32_t>(tear::kinds));
        counts counted;
        ASSERT_EQ(with_cut(seed, store, byte, kind, false, &counted, false, true), "")
            << "seed " << seed << ", store " << store << ", byte " << byte << ", kind "
            << static_cast<int>(kind);
        obeyed += counted.obeyed;
    }
    EXPECT_GT(obeyed, history_count() / 100) << "hardly anything was asked for";
}

// Whatever can't be read for a moment may be the newest copy.
TEST(PowerLoss, WhileItForgetsAfterALoadThatFailed) {
    std::mt19937 dice(2027);
    for (uint32_t seed = 0; seed < history_count() / 4; ++seed) {
        const size_t load = dice() % 5, store = dice() % 4;
        const size_t byte = dice() % 2 == 0 ? dice() % (state_bytes_max + 1) : dice() % 64;
        const auto kind = static_cast<tear>(dice() % static_cast<uint32_t>(tear::kinds));
        ASSERT_EQ(with_cut_wipe(seed, load, store, byte, kind), "")
            << "seed " << seed << ", load " << load << ", store " << store << ", byte " << byte
            << ", kind " << static_cast<int>(kind);
    }
}

// Nobody knows then which requests it obeyed.
TEST(PowerLoss, WhileItForgetsAStateThatRotted) {
    std::mt19937 dice(2028);
    for (uint32_t seed = 0; seed < history_count() / 20; ++seed) {
        life lived(seed);
        lived.storage.cut_byte = dice() % (state_bytes_max + 1);
        lived.storage.kind = static_cast<tear>(dice() % static_cast<uint32_t>(tear::kinds));
        if (lived.begin()) {
            lived.live(steps_before);
        }
        lived.forget_what_rotted(dice() % 4);
        lived.finish();
        ASSERT_EQ(lived.seen.wrong, "") << "seed " << seed;
    }
}

// The first stores of a device are its birth, and one is its first flush.
TEST(PowerLoss, AtEveryByteOfTheFirstStores) {
    for (size_t store = 0; store < 10; ++store) {
        for (size_t byte = 0; byte <= state_bytes_max; ++byte) {
            for (size_t kind = 0; kind < static_cast<size_t>(tear::kinds); ++kind) {
                ASSERT_EQ(with_cut(7, store, byte, static_cast<tear>(kind)), "")
                    << "store " << store << ", byte " << byte << ", kind " << kind;
            }
        }
    }
}

// The control: storage that says "durable" before it is.
TEST(PowerLoss, StorageThatLiesIsNoticed) {
    size_t noticed = 0;
    for (uint32_t seed = 0; seed < 4000; seed += 2) { // without a counter
        noticed += with_cut(seed, 3 + seed % 9, 0, tear::overwritten, true).empty() ? 0 : 1;
    }
    EXPECT_GT(noticed, 20u);
}

// The control: a device that forgets with its power which requests it has obeyed.
TEST(PowerLoss, RequestsObeyedAgainAreNoticed) {
    size_t noticed = 0;
    for (uint32_t seed = 0; seed < 1000; ++seed) {
        const std::string wrong =
            with_cut(seed, 3 + seed % 9, 0, tear::overwritten, false, nullptr, true);
        noticed += wrong == "a request was obeyed again" ? 1 : 0;
    }
    EXPECT_GT(noticed, 20u);
}

} // namespace
