// SPDX-License-Identifier: Apache-2.0
// sotto_count(): what is published of events, and what is not.
#include "counters.hpp"

#include <algorithm>
#include <numeric>

namespace {

constexpr uint32_t epochs = 24;

// Events of one unit each, by epoch and metric.
int32_t events_in(uint32_t epoch, uint16_t id) {
    return static_cast<int32_t>((epoch * 2654435761u >> 27) + id) % 4;
}

published_rows life(bool with_events) {
    counting_device d;
    for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
        d.advance(epoch);
        for (const uint16_t id : summed) {
            for (int32_t i = 0; with_events && epoch > 0 && i < events_in(epoch, id); ++i) {
                EXPECT_EQ(d.count(id), SOTTO_OK);
            }
        }
    }
    return d.published;
}

uint32_t sum_of(uint32_t last, uint32_t span, uint16_t id) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < span; ++i) {
        sum += static_cast<uint32_t>(events_in(last - i, id));
    }
    return sum;
}

TEST(Counters, PublishTheSumsOfTheirRows) {
    const published_rows noise = life(false), rows = difference(life(true), noise);
    for (uint32_t epoch = 1; epoch + 1 < epochs; ++epoch) {
        EXPECT_EQ(rows.at({epoch, COUNTERS_STEPS}), std::vector{sum_of(epoch, 1, COUNTERS_STEPS)});
        // Whole rows alone, from the leaf up: the first of the larger ones began in epoch 0, which
        // was not counted.
        std::vector<uint32_t> tree;
        for (uint32_t span = 1; span <= 4; span *= 2) {
            if ((epoch + 1) % span == 0 && epoch >= span) {
                tree.push_back(sum_of(epoch, span, COUNTERS_DOORS));
            }
        }
        EXPECT_EQ(rows.at({epoch, COUNTERS_DOORS}), tree) << epoch;
        if (epoch >= 3) {
            const uint32_t decayed = 4 * sum_of(epoch, 1, COUNTERS_HEAT) +
                                     2 * sum_of(epoch - 1, 1, COUNTERS_HEAT) +
                                     sum_of(epoch - 2, 1, COUNTERS_HEAT);
            EXPECT_EQ(rows.at({epoch, COUNTERS_HEAT}), std::vector{decayed});
        } else {
            EXPECT_EQ(rows.count({epoch, COUNTERS_HEAT}), 0u) << "three epochs make a row";
        }
        EXPECT_FALSE(noise.at({epoch, COUNTERS_STEPS}).empty());
    }
    EXPECT_EQ(rows.count({0, COUNTERS_STEPS}), 0u) << "it began before the device did";
    std::map<uint32_t, int> values;
    for (const auto &[at, numbers] : noise) {
        values[numbers[0]] += at.second == COUNTERS_DOORS ? 1 : 0;
    }
    EXPECT_GT(values.size(), epochs / 2) << "each row has noise of its own";
}

TEST(Counters, ClampAmounts) {
    const auto run = [](const std::vector<std::pair<int32_t, sotto_status>> &amounts) {
        counting_device d;
        d.advance(0);
        d.advance(1);
        for (const auto &[amount, answer] : amounts) {
            EXPECT_EQ(d.count(COUNTERS_DOORS, amount), answer) << amount;
        }
        d.advance(2);
        return d.published;
    };
    const published_rows rows = difference(run({{0, SOTTO_OK},
                                                {3, SOTTO_OK},
                                                {4, SOTTO_VALUE_CLAMPED},
                                                {INT32_MAX, SOTTO_VALUE_CLAMPED},
                                                {-1, SOTTO_VALUE_CLAMPED},
                                                {INT32_MIN, SOTTO_VALUE_CLAMPED}}),
                                           run({}));
    EXPECT_EQ(rows.at({1, COUNTERS_DOORS}), std::vector<uint32_t>{9});
}

TEST(Counters, NameEachMistake) {
    counting_device d;
    sotto_client nobody{};
    EXPECT_EQ(sotto_count(nullptr, COUNTERS_STEPS, 1), SOTTO_ERR_NOT_INITIALISED);
    EXPECT_EQ(sotto_count(&nobody, COUNTERS_STEPS, 1), SOTTO_ERR_NOT_INITIALISED);
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_ERR_NO_EPOCH);
    d.advance(7);
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_ERR_NOT_COUNTED);
    d.advance(8);
    EXPECT_EQ(d.count(77), SOTTO_ERR_UNKNOWN_METRIC);
    EXPECT_EQ(d.count(COUNTERS_FLAG), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_reopen(d.client, 77), SOTTO_ERR_UNKNOWN_METRIC);
    EXPECT_EQ(sotto_reopen(d.client, COUNTERS_FLAG), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_integer(d.client, COUNTERS_STEPS, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_advance(d.client, 7), SOTTO_ERR_EPOCH_BACKWARD);
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_OK) << "a clock that went back changes nothing";
    EXPECT_EQ(sotto_advance(d.client, 8), SOTTO_OK);
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_OK) << "nor does the same epoch";
    sotto_memory little = d.client->memory;
    EXPECT_EQ(little.row_words, sizeof d.device.rows / 4);
    d.client->memory.row_words = 6;
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_advance(d.client, 9), SOTTO_ERR_ARGUMENT);
}

TEST(Counters, LeaveOutWhatMissedAnEpoch) {
    const auto run = [](bool with_events) {
        counting_device d;
        for (const uint32_t epoch : {3u, 4u, 5u, 7u, 8u, 9u, 10u, 11u, 12u}) {
            d.advance(epoch);
            EXPECT_EQ(!with_events || d.count(COUNTERS_DOORS) == SOTTO_OK || epoch == 3, true);
        }
        return d.published;
    };
    const published_rows rows = difference(run(true), run(false));
    const std::vector<uint32_t> leaf = {1}, pair = {1, 2}, block = {1, 2, 4};
    EXPECT_EQ(rows.count({3, COUNTERS_DOORS}), 0u);
    EXPECT_EQ(rows.at({4, COUNTERS_DOORS}), leaf);
    EXPECT_EQ(rows.at({5, COUNTERS_DOORS}), pair);
    EXPECT_EQ(rows.count({6, COUNTERS_DOORS}), 0u);
    EXPECT_EQ(rows.at({7, COUNTERS_DOORS}), leaf) << "6 and 7, and 4 to 7, missed epoch 6";
    EXPECT_EQ(rows.at({11, COUNTERS_DOORS}), block);
}

TEST(Counters, AreChargedWhenALeafOpens) {
    counting_device d;
    d.advance(0);
    for (uint32_t epoch = 1; epoch < 10; ++epoch) {
        d.advance(epoch);
        sotto_account account{};
        ASSERT_EQ(sotto_get_account(d.client, COUNTERS_SCARCE, &account), SOTTO_OK);
        // Two of any three epochs.
        const bool is_counted = epoch % 3 != 0;
        EXPECT_EQ(d.count(COUNTERS_SCARCE), is_counted ? SOTTO_OK : SOTTO_ERR_NOT_COUNTED) << epoch;
        EXPECT_EQ(account.spent, epoch == 1 ? 1u << 20 : 2u << 20);
        EXPECT_EQ(account.last_epoch, is_counted ? epoch : epoch - 1);
    }
    d.advance(10);
    EXPECT_EQ(d.published.count({2, COUNTERS_SCARCE}), 1u);
    EXPECT_EQ(d.published.count({3, COUNTERS_SCARCE}), 0u);
}

TEST(Counters, WaitForAFlushWithoutLosingAnEvent) {
    const auto run = [](bool with_events) {
        counting_device d;
        d.advance(0);
        d.advance(1);
        const auto count = [&] {
            EXPECT_TRUE(!with_events || d.count(COUNTERS_STEPS) == SOTTO_OK);
        };
        count();
        EXPECT_EQ(sotto_advance(d.client, 2), SOTTO_OK); // steps, doors, scarce
        EXPECT_EQ(sotto_pending(d.client), 3u);
        count();
        EXPECT_EQ(sotto_advance(d.client, 3), SOTTO_ERR_QUEUE_FULL);
        EXPECT_EQ(sotto_pending(d.client), 4u);
        EXPECT_EQ(sotto_advance(d.client, 3), SOTTO_ERR_QUEUE_FULL) << "as often as it is asked";
        EXPECT_EQ(sotto_pending(d.client), 4u);
        EXPECT_TRUE(!with_events || d.count(COUNTERS_DOORS) == SOTTO_OK);
        d.flush();
        EXPECT_EQ(sotto_advance(d.client, 3), SOTTO_OK);
        count();
        d.flush();
        d.advance(4);
        return d.published;
    };
    const published_rows rows = difference(run(true), run(false));
    EXPECT_EQ(rows.at({1, COUNTERS_STEPS})[0] + rows.at({2, COUNTERS_STEPS})[0] +
                  rows.at({3, COUNTERS_STEPS})[0],
              3u);
    EXPECT_EQ(rows.at({2, COUNTERS_DOORS})[0], 1u) << "the epoch before, until the call succeeds";
}

TEST(Counters, StayAsTheyAreWithoutRandomness) {
    counting_device d;
    d.advance(0);
    d.advance(1);
    d.fake.now = fake_port::fault::error;
    EXPECT_EQ(sotto_advance(d.client, 2), SOTTO_ERR_ENTROPY_FAILED);
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_OK);
    EXPECT_EQ(sotto_pending(d.client), 0u);
    d.fake.now = fake_port::fault::none;
    d.advance(2);
    EXPECT_EQ(d.published.count({1, COUNTERS_STEPS}), 1u);
}

TEST(Counters, ObeyAPause) {
    counting_device d;
    d.advance(0);
    d.advance(1);
    ASSERT_EQ(sotto_pause(d.client), SOTTO_OK);
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_ERR_PAUSED);
    ASSERT_EQ(sotto_advance(d.client, 2), SOTTO_OK);
    EXPECT_EQ(std::count_if(std::begin(d.device.rows), std::end(d.device.rows),
                            [](uint32_t word) { return word > 3; }),
              0)
        << "nothing of a row is left";
    ASSERT_EQ(sotto_resume(d.client), SOTTO_OK);
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_ERR_NOT_COUNTED);
    d.advance(3);
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_OK);
    d.advance(4);
    EXPECT_EQ(d.published.count({1, COUNTERS_STEPS}), 0u);
    EXPECT_EQ(d.published.count({3, COUNTERS_STEPS}), 1u);
}

TEST(Counters, ReopenWithFreshRows) {
    counting_device d;
    d.advance(0);
    for (uint32_t epoch = 1; epoch < 9; ++epoch) {
        d.advance(epoch);
        if (epoch == 5) {
            ASSERT_EQ(sotto_reopen(d.client, COUNTERS_DOORS), SOTTO_OK);
            EXPECT_EQ(d.count(COUNTERS_DOORS), SOTTO_ERR_NOT_COUNTED);
            EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_OK);
        }
    }
    d.advance(9);
    EXPECT_EQ(d.published.at({3, COUNTERS_DOORS}).size(), 2u);
    EXPECT_EQ(d.published.count({5, COUNTERS_DOORS}), 0u);
    EXPECT_EQ(d.published.count({5, COUNTERS_STEPS}), 1u);
    EXPECT_EQ(d.published.at({7, COUNTERS_DOORS}).size(), 2u) << "4 to 7 was open then";
}

// A reset at any moment: no row is published twice, none that was cut is, and nothing of an open
// row was ever stored.
TEST(Counters, AreAbandonedByAReset) {
    constexpr uint32_t moments = 40;
    for (uint32_t moment = 0; moment < moments; ++moment) {
        counting_device d;
        uint32_t at = 0;
        const auto maybe_reset = [&](uint32_t epoch) {
            if (at++ != moment) {
                return;
            }
            for (const std::vector<uint8_t> &slot : d.fake.slots) {
                for (const uint32_t word : d.device.rows) {
                    const auto *bytes = reinterpret_cast<const uint8_t *>(&word);
                    EXPECT_TRUE(word < 64 || word > 0u - 64u || word >> 31 != 0 ||
                                std::search(slot.begin(), slot.end(), bytes, bytes + 4) ==
                                    slot.end());
                }
            }
            d.reset();
            ASSERT_EQ(sotto_advance(d.client, epoch), SOTTO_OK);
            EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_ERR_NOT_COUNTED);
            EXPECT_EQ(d.published.count({epoch, COUNTERS_STEPS}), 0u);
        };
        for (uint32_t epoch = 0; epoch < 10; ++epoch) {
            ASSERT_EQ(sotto_advance(d.client, epoch), SOTTO_OK);
            maybe_reset(epoch);
            (void)d.count(COUNTERS_DOORS);
            maybe_reset(epoch);
            d.flush();
            maybe_reset(epoch);
            (void)d.count(COUNTERS_DOORS);
            maybe_reset(epoch);
        }
        const uint32_t cut = moment / 4;
        EXPECT_EQ(d.published.count({cut, COUNTERS_STEPS}), 0u) << cut;
        for (uint32_t epoch = 4; epoch < 9; ++epoch) {
            const auto found = d.published.find({epoch, COUNTERS_DOORS});
            const uint32_t begin = epoch / 4 * 4;
            if (found != d.published.end() && found->second.size() == 3) {
                EXPECT_TRUE(cut < begin || cut > epoch) << cut << ' ' << epoch;
            }
        }
    }
}

// A state that somebody wrote: no word behind the release's own is published.
TEST(Counters, PublishNoMoreRowsThanThereAre) {
    counting_device d;
    d.advance(0);
    d.advance(1);
    ASSERT_EQ(sotto_advance(d.client, 2), SOTTO_OK);
    for (sotto_release &release : d.device.state.releases) {
        release.value_tag[0] = 1000;
    }
    d.flush();
    EXPECT_EQ(d.published.at({1, COUNTERS_STEPS}).size(), 1u);
    EXPECT_EQ(d.published.at({1, COUNTERS_DOORS}).size(), 3u);
}

TEST(Counters, AreForgottenAtTheEnd) {
    counting_device d;
    d.advance(0);
    d.advance(1);
    (void)d.count(COUNTERS_STEPS);
    sotto_deinit(d.client);
    for (const uint32_t word : d.device.rows) {
        EXPECT_EQ(word, 0u);
    }
    EXPECT_EQ(d.count(COUNTERS_STEPS), SOTTO_ERR_NOT_INITIALISED);
}

TEST(Counters, HaveATypedHandle) {
    counters::client device;
    fake_port fake;
    ASSERT_EQ(device.init(fake.port()), SOTTO_OK);
    ASSERT_EQ(device.advance(0), SOTTO_OK);
    ASSERT_EQ(device.advance(1), SOTTO_OK);
    EXPECT_EQ(device.count(counters::steps), SOTTO_OK);
    EXPECT_EQ(device.count(counters::doors, 4), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(device.reopen(counters::steps), SOTTO_OK);
    EXPECT_EQ(device.count(counters::steps), SOTTO_ERR_NOT_COUNTED);
}

} // namespace
