// SPDX-License-Identifier: Apache-2.0
// Budget accounts against vectors, and against a list of all charges with every window summed.
#include "privacy/ledger.hpp"

#include "generator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

namespace ledger = sotto::ledger;

constexpr uint32_t window_max = 64;
constexpr uint32_t never = UINT32_MAX; // a measurement that costs more than its budget

// The ledger as a client holds it.
struct account {
    std::array<uint32_t, ledger::slot_count(window_max)> slots{};
    uint32_t window, budget;

    account(uint32_t w, uint32_t b) : window(w), budget(b) {}
    void advance(uint32_t epochs) { ledger::advance(slots.data(), window, epochs); }
    auto costs() const {
        return [this](uint32_t newest, uint32_t epochs) {
            return ledger::sum(slots.data() + newest, epochs);
        };
    }
    bool spend(uint32_t age, uint32_t cost) {
        if (age >= ledger::slot_count(window)) {
            return false;
        }
        const uint32_t before = slots[age];
        ledger::add(slots[age], cost);
        const bool fits = ledger::is_kept(window, budget, age, costs());
        slots[age] = fits ? slots[age] : before;
        return fits;
    }
    bool can_spend(uint32_t age, uint32_t cost) const { return account(*this).spend(age, cost); }
    uint32_t frees_in(uint32_t cost) const {
        account charged = *this;
        ledger::add(charged.slots[0], cost);
        return cost > budget ? never : ledger::frees_in(window, budget, charged.costs());
    }
};

// A planted fault: as many slots as the window has epochs. Older epochs are forgotten, so that
// windows that reach back further look emptier than they are.
struct short_account : account {
    using account::account;
    void advance(uint32_t epochs) {
        account::advance(epochs);
        std::fill(slots.begin() + window, slots.end(), 0u);
    }
};

// Another: a relaxation is charged to the epoch in which it is asked for.
struct present_account : account {
    using account::account;
    bool spend(uint32_t age, uint32_t cost) { return age < window && account::spend(0, cost); }
};

// All that was ever charged; every window is summed whenever it is asked.
struct model {
    struct charge {
        int64_t epoch;
        uint32_t cost;
    };
    std::vector<charge> charges;
    int64_t window, budget;
    int64_t now = 0;

    bool fits(int64_t epoch, uint32_t cost) const {
        for (int64_t first = epoch - window + 1; first <= epoch; ++first) {
            int64_t sum = cost;
            for (const charge &c : charges) {
                sum += c.epoch >= first && c.epoch < first + window ? c.cost : 0;
            }
            if (sum > budget) {
                return false;
            }
        }
        return true;
    }
    bool spend(uint32_t age, uint32_t cost) {
        const bool fitting = age < window && fits(now - age, cost);
        if (fitting) {
            charges.push_back({now - age, cost});
        }
        return fitting;
    }
    bool is_kept() const {
        return std::all_of(charges.begin(), charges.end(),
                           [&](const charge &c) { return fits(c.epoch, 0); });
    }
    uint32_t frees_in(uint32_t cost) const {
        for (uint32_t epochs = 0; epochs <= window; ++epochs) {
            if (fits(now + epochs, cost)) {
                return epochs;
            }
        }
        return never;
    }
};

// One device's life. Says at which step the account first differs from the model, or -1.
template <typename Account> int first_difference(uint64_t seed) {
    generator random{seed};
    const uint32_t window = random.below(50) == 0 ? 1 + random.below(64) : 1 + random.below(6);
    const uint32_t budget = 1 + random.below(40);
    Account ours(window, budget);
    model theirs{{}, window, budget};
    const int steps = 4 + static_cast<int>(random.below(20));
    for (int step = 0; step < steps; ++step) {
        const uint32_t cost = random.below(budget + 2);
        const uint32_t small = random.below(budget / 3 + 1);
        bool same = true;
        switch (random.below(8)) {
        case 0:
        case 1: { // epochs follow, repeat, skip a few, or all that is remembered
            const uint32_t kind = random.below(16);
            const uint32_t epochs = kind == 0   ? UINT32_MAX - random.below(2)
                                    : kind <= 2 ? random.below(3 * window)
                                    : kind <= 4 ? 0
                                                : 1;
            ours.advance(epochs);
            theirs.now += epochs;
            break;
        }
        case 2:
            same = ours.frees_in(cost) == theirs.frees_in(cost);
            break;
        case 3:
        case 4:
            same = ours.spend(0, cost) == theirs.spend(0, cost);
            break;
        default: { // a relaxation
            const uint32_t age = random.below(window + 1);
            same = ours.spend(age, small) == theirs.spend(age, small);
        }
        }
        if (!same) {
            return step;
        }
    }
    return theirs.is_kept() ? -1 : steps;
}

template <typename Account> uint32_t differing(uint32_t histories) {
    uint32_t count = 0;
    for (uint32_t seed = 0; seed < histories; ++seed) {
        count += first_difference<Account>(seed) >= 0 ? 1 : 0;
    }
    return count;
}

TEST(Ledger, AMillionHistoriesAgainstTheModel) { EXPECT_EQ(differing<account>(1'000'000), 0u); }

TEST(Ledger, TheSameHistoriesCatchPlantedFaults) {
    EXPECT_GT(differing<short_account>(100'000), 100u) << "slots of one window only";
    EXPECT_GT(differing<present_account>(100'000), 100u) << "charged to the present";
}

const nlohmann::json &vectors() {
    static const nlohmann::json document =
        nlohmann::json::parse(std::ifstream(SOTTO_BUDGET_VECTORS));
    return document;
}

TEST(Ledger, NewMeasurementsOfTheVectors) {
    account a(vectors().at("window"), vectors().at("budget"));
    uint32_t now = 0;
    for (const auto &entry : vectors().at("ledger")) {
        const uint32_t epoch = entry.at("t"), cost = entry.at("cost_q20");
        a.advance(epoch - now);
        now = epoch;
        EXPECT_EQ(a.frees_in(cost) == 0, entry.at("accepted")) << entry;
        EXPECT_EQ(a.spend(0, cost), entry.at("accepted")) << entry;
        uint32_t sum = 0;
        for (uint32_t i = 0; i < a.window; ++i) {
            sum += a.slots[i];
        }
        EXPECT_EQ(sum, entry.at("window_sum")) << entry;
    }
}

template <typename Account> int wrong_relaxations() {
    const auto &entry = vectors().at("relaxations");
    Account a(entry.at("window"), entry.at("budget"));
    uint32_t now = 0;
    int wrong = 0;
    for (const auto &charge : entry.at("charges")) {
        const uint32_t then = charge.at("now"), epoch = charge.at("epoch");
        a.advance(then - now);
        now = then;
        wrong += a.spend(now - epoch, charge.at("cost")) != charge.at("accepted");
    }
    return wrong;
}

TEST(Ledger, RelaxationsOfTheVectors) {
    EXPECT_EQ(wrong_relaxations<account>(), 0);
    EXPECT_GT(wrong_relaxations<short_account>(), 0);
}

TEST(Ledger, SaysWhenItFrees) {
    account a(5, 100);
    EXPECT_EQ(a.frees_in(100), 0u);
    EXPECT_EQ(a.frees_in(101), never);
    ASSERT_TRUE(a.spend(0, 60));
    a.advance(2);
    ASSERT_TRUE(a.spend(0, 30));
    EXPECT_EQ(a.frees_in(10), 0u);
    EXPECT_EQ(a.frees_in(11), 3u) << "when the 60 leave";
    EXPECT_EQ(a.frees_in(70), 3u);
    EXPECT_EQ(a.frees_in(71), 5u) << "when the 30 leave too";
    a.advance(3);
    EXPECT_EQ(a.frees_in(70), 0u);
    a.advance(UINT32_MAX);
    EXPECT_EQ(a.frees_in(100), 0u);
}

TEST(Ledger, NoBudgetAllowsAllAndTouchesNothing) {
    const auto cost = [](uint32_t, uint32_t) { return UINT64_MAX; };
    EXPECT_EQ(ledger::slot_count(0), 0u);
    EXPECT_TRUE(ledger::is_kept(0, 0, 77, cost));
    EXPECT_EQ(ledger::frees_in(0, 0, cost), 0u);
    ledger::advance(nullptr, 0, 3);
    ledger::exhaust(nullptr, 0);
}

TEST(Ledger, AnExhaustedOneFreesAfterAWindow) {
    for (const uint32_t window : {1u, 2u, 30u, 64u}) {
        account a(window, ledger::budget_max);
        ledger::exhaust(a.slots.data(), window);
        EXPECT_EQ(a.frees_in(1), window);
        a.advance(window - 1);
        EXPECT_FALSE(a.spend(0, 1));
        a.advance(1);
        EXPECT_TRUE(a.spend(0, 1));
    }
}

// Whatever a damaged store holds, sums do not wrap around to room that is not there.
TEST(Ledger, SumsOfDamagedSlotsDoNotWrap) {
    account a(64, ledger::budget_max);
    a.slots.fill(UINT32_MAX);
    for (uint32_t age = 0; age < 64; ++age) {
        EXPECT_FALSE(a.can_spend(age, 0)) << age;
        EXPECT_FALSE(a.can_spend(age, 1)) << age;
    }
    EXPECT_EQ(a.frees_in(1), 64u);
    a.slots.fill(0x40000000u);
    EXPECT_FALSE(a.can_spend(0, 0)) << "64 of them are 2^36";
    a.slots.fill(0);
    EXPECT_TRUE(a.spend(3, ledger::budget_max)) << "2000 epsilon, and all of it";
    EXPECT_FALSE(a.spend(0, 1));
}

TEST(Ledger, AFailedChargeChangesNothing) {
    account a(3, 10);
    ASSERT_TRUE(a.spend(0, 8));
    const auto before = a.slots;
    EXPECT_FALSE(a.spend(0, 3));
    EXPECT_FALSE(a.spend(2, 3));
    EXPECT_FALSE(a.spend(3, 0)) << "outside of the window";
    EXPECT_FALSE(a.spend(UINT32_MAX, 0));
    EXPECT_EQ(a.slots, before);
}

} // namespace
