// SPDX-License-Identifier: Apache-2.0
// Two mechanisms that own rows in one registry: both turn, each in words of its own.
#include "client/client_code.hpp"

#include "counters.hpp"

#include <numeric>

namespace {

constexpr uint32_t own_words = 3;
sotto_status answer = SOTTO_OK;

uint32_t words(const sotto_metric &) { return own_words; }
bool is_sound(const sotto_metric &) { return true; }

// Counts the epochs that it saw, in each of its words.
sotto_status on_epoch(sotto_client &client, const sotto_metric &metric) {
    uint32_t *own = sotto::rows_of(client, metric);
    for (uint32_t i = 0; answer == SOTTO_OK && i < own_words; ++i) {
        own[i] += i + 1;
    }
    return answer;
}

const sotto_client_code another = {sotto::no_words, words, on_epoch, nullptr, nullptr, is_sound};

// tests/counters.toml, where the other mechanism owns one of the metrics.
struct shared_device {
    fake_port fake;
    sotto_port port = fake.port();
    counters_client device{};
    std::vector<sotto_metric> metrics{counters_registry.metrics,
                                      counters_registry.metrics + counters_registry.metric_count};
    sotto_registry registry = counters_registry;
    std::vector<uint32_t> rows;
    sotto_client *client = &device.client;

    explicit shared_device(uint16_t other_id) {
        for (sotto_metric &m : metrics) {
            m.client = m.id == other_id ? &another : m.client;
        }
        registry.metrics = metrics.data();
        rows.resize(std::accumulate(
            metrics.begin(), metrics.end(), uint32_t{0},
            [](uint32_t sum, const sotto_metric &m) { return sum + sotto::row_words_of(m); }));
        auto &state = device.state;
        const sotto_memory memory = {&state.head,
                                     state.accounts,
                                     state.releases,
                                     state.words,
                                     device.work,
                                     device.random,
                                     static_cast<uint16_t>(std::size(state.accounts)),
                                     static_cast<uint16_t>(std::size(state.releases)),
                                     3,
                                     sizeof device.random,
                                     static_cast<uint16_t>(rows.size()),
                                     rows.data()};
        answer = SOTTO_OK;
        EXPECT_EQ(sotto_init(client, &registry, &port, &memory), SOTTO_OK);
    }
    std::vector<uint32_t> owned(uint16_t id) const {
        const uint32_t *own = sotto::rows_of(*client, metrics[id - 1u]);
        return {own, own + own_words};
    }
    bool is_counting(uint16_t id) const { return sotto_count(client, id, 1) == SOTTO_OK; }
};

TEST(RowOwners, AllTurn) {
    for (const unsigned number : {COUNTERS_STEPS, COUNTERS_DOORS, COUNTERS_FLAG}) {
        const auto other = static_cast<uint16_t>(number);
        shared_device d(other);
        for (uint32_t epoch = 0; epoch < 3; ++epoch) {
            ASSERT_EQ(sotto_advance(d.client, epoch), SOTTO_OK);
            EXPECT_EQ(d.owned(other), (std::vector{epoch + 1, 2 * epoch + 2, 3 * epoch + 3}));
            for (const uint16_t id : summed) {
                EXPECT_EQ(d.is_counting(id), id != other && epoch > 0) << id << ' ' << other;
            }
        }
    }
}

TEST(RowOwners, AreNotCountedByAnother) {
    shared_device d(COUNTERS_DOORS);
    ASSERT_EQ(sotto_advance(d.client, 0), SOTTO_OK);
    ASSERT_EQ(sotto_advance(d.client, 1), SOTTO_OK);
    EXPECT_EQ(sotto_count(d.client, COUNTERS_DOORS, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_reopen(d.client, COUNTERS_DOORS), SOTTO_ERR_WRONG_TYPE);
}

TEST(RowOwners, AreTriedAgainAfterAnError) {
    shared_device d(COUNTERS_DOORS);
    ASSERT_EQ(sotto_advance(d.client, 0), SOTTO_OK);
    answer = SOTTO_ERR_QUEUE_FULL;
    EXPECT_EQ(sotto_advance(d.client, 1), SOTTO_ERR_QUEUE_FULL);
    EXPECT_TRUE(d.is_counting(COUNTERS_STEPS)) << "it turned before the error";
    EXPECT_FALSE(d.is_counting(COUNTERS_HEAT));
    answer = SOTTO_OK;
    EXPECT_EQ(sotto_advance(d.client, 1), SOTTO_OK);
    EXPECT_TRUE(d.is_counting(COUNTERS_HEAT));
}

TEST(RowOwners, NeedWordsForAll) {
    shared_device d(COUNTERS_DOORS);
    d.client->memory.row_words -= 1;
    EXPECT_NE(sotto::rows_of(*d.client, d.metrics[COUNTERS_HEAT - 1]), nullptr);
    EXPECT_EQ(sotto::rows_of(*d.client, d.metrics[COUNTERS_SCARCE - 1]), nullptr);
    EXPECT_EQ(sotto_advance(d.client, 0), SOTTO_ERR_ARGUMENT);
}

} // namespace
