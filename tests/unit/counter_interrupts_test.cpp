// SPDX-License-Identifier: Apache-2.0
// An interrupt at every block of the code that moves rows from epoch to epoch, on one core.
#include "counters.hpp"
#include "interrupts.hpp"

namespace {

// A life in which one event breaks into the call that begins `epoch`; without an event at all.
published_rows life(uint32_t epoch, uint32_t at, bool with_event, bool &fired) {
    counting_device d;
    for (uint32_t now = 0; now < 13; ++now) {
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

uint32_t total(const published_rows &rows, uint16_t id, size_t level) {
    uint32_t sum = 0;
    for (const auto &[at, numbers] : rows) {
        sum += at.second == id && numbers.size() > level ? numbers[level] : 0;
    }
    return sum;
}

TEST(CounterInterrupts, AreCountedWholeBeforeOrAfter) {
    for (const uint32_t epoch : {5u, 6u, 8u}) {
        bool fired = true, before = false, after = false;
        uint32_t at = 0;
        for (; fired; ++at) {
            const published_rows noise = life(epoch, at, false, fired);
            const published_rows rows = difference(life(epoch, at, true, fired), noise);
            if (!fired) {
                break;
            }
            EXPECT_EQ(total(rows, COUNTERS_STEPS, 0), 1u) << at;
            for (size_t level = 0; level < 3; ++level) {
                EXPECT_EQ(total(rows, COUNTERS_DOORS, level), 1u) << at << ' ' << level;
            }
            EXPECT_EQ(total(rows, COUNTERS_HEAT, 0), 7u) << "each weight once";
            const uint32_t first = rows.at({epoch - 1, COUNTERS_DOORS})[0];
            EXPECT_EQ(first + rows.at({epoch, COUNTERS_DOORS})[0], 1u);
            before |= first == 1;
            after |= first == 0;
        }
        EXPECT_GT(at, 100u) << "blocks";
        EXPECT_TRUE(before && after);
    }
}

TEST(CounterInterrupts, DoNotBreakIntoAnEvent) {
    bool fired = true;
    uint32_t busy = 0;
    for (uint32_t at = 0; fired; ++at) {
        counting_device d;
        d.advance(0);
        d.advance(1);
        sotto_status inner = SOTTO_OK, moved = SOTTO_OK;
        fired = interrupted(
            at,
            [&] {
                inner = d.count(COUNTERS_STEPS);
                moved = sotto_advance(d.client, 2);
            },
            [&] { EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_OK); });
        // Refused by name where the event is half way, done where it is not.
        busy += inner == SOTTO_ERR_BUSY ? 1 : 0;
        EXPECT_TRUE(inner == SOTTO_OK || inner == SOTTO_ERR_BUSY);
        EXPECT_EQ(moved, inner);
        EXPECT_EQ(sotto_advance(d.client, 2), SOTTO_OK);
    }
    EXPECT_GE(busy, 1u); // compilers make other blocks
}

} // namespace
