// SPDX-License-Identifier: Apache-2.0
// Wrong events on the device: each has a status, and what the statuses say is what is published.
// tests/end_to_end/bad_events.py has the same through the program.
#include "counters.hpp"

namespace {

struct told {
    const char *what;
    int32_t amount;
    sotto_status status;
    uint32_t units; // counted, of 3 at most
};

constexpr told events[] = {
    {"one", 1, SOTTO_OK, 1},
    {"none", 0, SOTTO_OK, 0},
    {"the most", 3, SOTTO_OK, 3},
    {"above the most", 4, SOTTO_VALUE_CLAMPED, 3},
    {"the largest", INT32_MAX, SOTTO_VALUE_CLAMPED, 3},
    {"negative", -1, SOTTO_VALUE_CLAMPED, 0},
    {"the smallest", INT32_MIN, SOTTO_VALUE_CLAMPED, 0},
};

// By epoch, the units that the statuses say are counted. The device's clock is wrong twice.
std::map<uint32_t, uint32_t> walk(counting_device &d, bool with_events) {
    std::map<uint32_t, uint32_t> counted;
    const auto count = [&](uint32_t epoch, bool is_counted) {
        for (const told &event : events) {
            if (with_events) {
                EXPECT_EQ(d.count(COUNTERS_DOORS, event.amount),
                          is_counted ? event.status : SOTTO_ERR_NOT_COUNTED)
                    << event.what << ", epoch " << epoch;
            }
            if (is_counted) {
                counted[epoch] += event.units;
            }
        }
    };
    EXPECT_EQ(d.count(COUNTERS_DOORS), SOTTO_ERR_NO_EPOCH);
    d.advance(8);
    count(8, false); // the device starts within it
    d.advance(9);
    count(9, true);
    EXPECT_EQ(sotto_advance(d.client, 8), SOTTO_ERR_EPOCH_BACKWARD);
    count(9, true);
    d.advance(11); // 10 is skipped: rows that missed it are never published
    count(11, true);
    const uint32_t far = 12 + counters_registry.max_epoch_jump;
    EXPECT_EQ(sotto_advance(d.client, far), SOTTO_ERR_EPOCH_JUMP);
    count(11, true);
    for (uint32_t epoch = 12; epoch < 26; ++epoch) { // blocks are of 8 epochs: no horizon runs out
        d.advance(epoch);
        count(epoch, true);
    }
    d.advance(26);
    EXPECT_EQ(d.count(77), SOTTO_ERR_UNKNOWN_METRIC);
    EXPECT_EQ(d.count(COUNTERS_FLAG), SOTTO_ERR_WRONG_TYPE);
    return counted;
}

TEST(BadEvents, AreToldAndTheRestIsPublished) {
    counting_device with, without;
    const std::map<uint32_t, uint32_t> counted = walk(with, true);
    (void)walk(without, false);
    const published_rows rows = difference(with.published, without.published);
    uint32_t leaves = 0;
    for (const auto &[at, numbers] : rows) {
        const auto [epoch, metric] = at;
        if (metric == COUNTERS_DOORS) {
            uint32_t span = 1;
            for (const uint32_t number : numbers) {
                uint32_t sum = 0;
                for (uint32_t e = epoch + 1 - span; e <= epoch; ++e) {
                    ASSERT_EQ(counted.count(e), 1u) << "a row that missed an epoch";
                    sum += counted.at(e);
                }
                EXPECT_EQ(number, sum) << "epoch " << epoch << ", " << span << " epochs";
                span *= 2;
            }
            ++leaves;
        }
    }
    EXPECT_EQ(leaves, 16u) << "9, 11 to 25";
    EXPECT_EQ(counted.at(9), 20u);
    EXPECT_EQ(rows.at({15, COUNTERS_DOORS}).size(), 3u);
    EXPECT_EQ(rows.at({11, COUNTERS_DOORS}).size(), 1u) << "longer rows missed epoch 10";
}

} // namespace
