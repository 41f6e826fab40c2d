// SPDX-License-Identifier: Apache-2.0
// Counters that publish running totals: tests/totals.toml.
#include "counters.hpp"
#include "interrupts.hpp"

namespace {

constexpr uint32_t epochs = 27;

uint32_t block_of(uint16_t id) { return id == COUNTERS_HEAT ? 12 : 4; }

uint32_t events_in(uint32_t epoch, uint16_t id) { return ((epoch * 2654435761u >> 27) + id) % 4; }

published_rows life(bool with_events) {
    counting_device d;
    for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
        d.advance(epoch);
        for (const uint16_t id : summed) {
            for (uint32_t i = 0; with_events && i < events_in(epoch, id); ++i) {
                const bool is_counted = epoch >= block_of(id);
                EXPECT_EQ(d.count(id), is_counted ? SOTTO_OK : SOTTO_ERR_NOT_COUNTED);
            }
        }
    }
    return d.published;
}

TEST(Totals, ArePublishedInEachEpochOfABlock) {
    const published_rows noise = life(false), totals = difference(life(true), noise);
    for (const uint16_t id : summed) {
        uint32_t sum = 0;
        for (uint32_t epoch = 0; epoch + 1 < epochs; ++epoch) {
            if (epoch < block_of(id)) {
                EXPECT_EQ(totals.count({epoch, id}), 0u) << "the block began before the device";
                continue;
            }
            sum = epoch % block_of(id) == 0 ? 0 : sum;
            sum += events_in(epoch, id);
            EXPECT_EQ(totals.at({epoch, id}), std::vector{sum}) << epoch << ' ' << id;
        }
    }
}

TEST(Totals, WaitForTheNextBlockWhereTheyMissedAnEpoch) {
    counting_device d;
    for (const uint32_t epoch : {3u, 4u, 6u, 7u, 8u, 9u, 10u}) {
        d.advance(epoch);
        const bool is_counted = epoch == 4 || epoch >= 8;
        for (const uint16_t id : {summed[0], summed[1]}) {
            EXPECT_EQ(d.count(id), is_counted ? SOTTO_OK : SOTTO_ERR_NOT_COUNTED) << epoch;
            sotto_account account{};
            ASSERT_EQ(sotto_get_account(d.client, id, &account), SOTTO_OK);
            EXPECT_EQ(account.last_epoch == epoch, is_counted) << "charged where it counts";
        }
    }
    for (const uint32_t epoch : {4u, 6u, 7u, 8u, 9u}) {
        EXPECT_EQ(d.published.count({epoch, COUNTERS_DOORS}), epoch == 4 || epoch >= 8 ? 1u : 0u)
            << epoch;
    }
}

TEST(Totals, WaitForTheNextBlockWithoutABudget) {
    counting_device d;
    for (uint32_t epoch = 3; epoch < 12; ++epoch) {
        d.advance(epoch);
        const bool is_counted = epoch > 3 && epoch % 4 < 2;
        EXPECT_EQ(d.count(COUNTERS_SCARCE), is_counted ? SOTTO_OK : SOTTO_ERR_NOT_COUNTED) << epoch;
    }
    EXPECT_EQ(d.published.count({5, COUNTERS_SCARCE}), 1u);
    EXPECT_EQ(d.published.count({6, COUNTERS_SCARCE}), 0u);
}

TEST(Totals, AreAbandonedByReopen) {
    counting_device d;
    for (uint32_t epoch = 3; epoch < 10; ++epoch) {
        d.advance(epoch);
        if (epoch == 5) {
            ASSERT_EQ(sotto_reopen(d.client, COUNTERS_DOORS), SOTTO_OK);
        }
        EXPECT_EQ(d.count(COUNTERS_DOORS) == SOTTO_OK, epoch == 4 || epoch >= 8) << epoch;
    }
    EXPECT_EQ(d.published.count({4, COUNTERS_DOORS}), 1u);
    EXPECT_EQ(d.published.count({5, COUNTERS_DOORS}), 0u);
}

// A life in which one event breaks into the call that begins `epoch`; without an event at all.
published_rows life(uint32_t epoch, uint32_t at, bool with_event, bool &fired) {
    counting_device d;
    for (uint32_t now = 3; now < 26; ++now) {
        const auto advance = [&] { EXPECT_EQ(sotto_advance(d.client, now), SOTTO_OK); };
        const auto event = [&] {
            for (const uint16_t id : summed) {
                EXPECT_TRUE(!with_event || d.count(id) == SOTTO_OK);
            }
        };
        if (now == epoch) {
            fired = interrupted(at, event, advance);
        } else {
            advance();
        }
        d.flush();
    }
    return d.published;
}

// In no total of an epoch before some moment, and in all of the block behind it.
TEST(Totals, HaveAnInterruptWholeBeforeOrAfter) {
    for (const uint32_t epoch : {13u, 16u, 18u}) {
        bool fired = true, before = false, after = false;
        uint32_t at = 0;
        for (; fired; ++at) {
            const published_rows noise = life(epoch, at, false, fired);
            const published_rows totals = difference(life(epoch, at, true, fired), noise);
            if (!fired) {
                break;
            }
            for (const uint16_t id : summed) {
                const uint32_t first = totals.at({epoch - 1, id})[0], block = block_of(id);
                EXPECT_LE(first, 1u);
                for (uint32_t now = 12; now < 24; ++now) {
                    const uint32_t counted = now < epoch ? first : 1;
                    const bool same = now / block == (first == 1 ? epoch - 1 : epoch) / block;
                    EXPECT_EQ(totals.at({now, id})[0], same && now + 1 >= epoch ? counted : 0)
                        << at << ' ' << now << ' ' << id;
                }
                before |= first == 1;
                after |= first == 0;
            }
        }
        EXPECT_GT(at, 100u) << "blocks";
        EXPECT_TRUE(before && after);
    }
}

} // namespace
