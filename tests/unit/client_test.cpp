// SPDX-License-Identifier: Apache-2.0
#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace {

using fault = fake_port::fault;

class Client : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    test_fleet_client device{};
    std::vector<uint8_t> buffer = std::vector<uint8_t>(512, 0xee);
    size_t length = 99;

    void start(uint32_t epoch = 0) {
        ASSERT_EQ(test_fleet_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
    }
    sotto_status report(uint16_t id, bool value = true) {
        return sotto_report_boolean(&device.client, id, value);
    }
    sotto_status flush(size_t capacity) {
        return sotto_flush(&device.client, buffer.data(), capacity, &length);
    }
    bool buffer_is_zero(size_t capacity) const {
        return std::all_of(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(capacity),
                           [](uint8_t b) { return b == 0; });
    }
};

read_batch parse(const uint8_t *bytes, size_t length) {
    return {bytes, length, test_fleet_registry};
}

TEST_F(Client, ReportsArriveAsTheyWereMade) {
    start(5);
    ASSERT_EQ(report(TEST_FLEET_WINDOW_OPEN), SOTTO_OK);
    ASSERT_EQ(sotto_advance(&device.client, 8), SOTTO_OK);
    ASSERT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
    EXPECT_EQ(sotto_pending(&device.client), 2u);
    ASSERT_EQ(flush(buffer.size()), SOTTO_OK);
    EXPECT_EQ(sotto_pending(&device.client), 0u);

    const read_batch batch = parse(buffer.data(), length);
    EXPECT_EQ(batch.batch_bytes, 32u) << "two boolean reports, padded";
    EXPECT_EQ(batch.epoch, 8u);
    ASSERT_EQ(batch.reports.size(), 2u);
    // By metric, not by time.
    EXPECT_EQ(batch.reports[0].metric, TEST_FLEET_DOOR_OPEN);
    EXPECT_EQ(batch.reports[0].epoch_age, 0u);
    EXPECT_EQ(batch.reports[1].metric, TEST_FLEET_WINDOW_OPEN);
    EXPECT_EQ(batch.reports[1].epoch_age, 3u);
    for (const read_report &r : batch.reports) {
        EXPECT_EQ(r.level, 0u);
        EXPECT_EQ(r.shown, sotto::shown::index);
        EXPECT_LE(r.index, 1u);
    }
    EXPECT_NE(batch.reports[0].release, batch.reports[1].release);
    EXPECT_EQ(flush(buffer.size()), SOTTO_OK);
    EXPECT_EQ(length, 0u) << "nothing is sent twice";
}

TEST_F(Client, LengthTellsNothingOfTheValue) {
    std::set<size_t> lengths;
    std::set<uint32_t> values;
    start();
    for (uint32_t epoch = 0; epoch < 64; ++epoch) {
        ASSERT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
        ASSERT_EQ(report(TEST_FLEET_DOOR_OPEN, epoch % 2 == 0), SOTTO_OK);
        ASSERT_EQ(flush(buffer.size()), SOTTO_OK);
        lengths.insert(length);
        values.insert(parse(buffer.data(), length).reports.at(0).index);
    }
    EXPECT_EQ(lengths.size(), 1u);
    EXPECT_EQ(values.size(), 2u) << "both values were seen";
}

TEST_F(Client, EveryFaultOfThePortMeansNoReport) {
    const std::pair<fault, sotto_status> faults[] = {
        {fault::error, SOTTO_ERR_ENTROPY_FAILED},
        {fault::unnamed_error, SOTTO_ERR_ENTROPY_FAILED},
        {fault::few, SOTTO_ERR_ENTROPY_SHORT},
        {fault::none_at_all, SOTTO_ERR_ENTROPY_SHORT},
        {fault::too_many, SOTTO_ERR_ENTROPY_FAILED},
        {fault::stuck, SOTTO_ERR_ENTROPY_STUCK},
        {fault::stuck_word, SOTTO_ERR_ENTROPY_STUCK},
        {fault::silent, SOTTO_ERR_ENTROPY_STUCK},
        {fault::timeout, SOTTO_ERR_ENTROPY_TIMEOUT},
    };
    for (const auto &[now, expected] : faults) {
        fake.now = now;
        EXPECT_EQ(test_fleet_init(&device, &port), expected);
        const auto *bytes = reinterpret_cast<const uint8_t *>(&device.client);
        EXPECT_TRUE(std::all_of(bytes, bytes + sizeof device.client, [](uint8_t b) {
            return b == 0;
        })) << "a failed start leaves something behind";
        EXPECT_EQ(sotto_advance(&device.client, 0), SOTTO_ERR_NOT_INITIALISED);
        EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_ERR_NOT_INITIALISED);
        EXPECT_EQ(flush(buffer.size()), SOTTO_ERR_NOT_INITIALISED);
        EXPECT_EQ(length, 0u);
    }
    fake.now = fault::none;
    EXPECT_EQ(test_fleet_init(&device, &port), SOTTO_OK) << "the same client can try again";
}

TEST_F(Client, AFaultAtANewEpochMeansNoReport) {
    start();
    ASSERT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
    ASSERT_EQ(flush(buffer.size()), SOTTO_OK);
    fake.now = fault::timeout;
    EXPECT_EQ(sotto_advance(&device.client, 1), SOTTO_ERR_ENTROPY_TIMEOUT);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_ERR_ALREADY_REPORTED) << "it is still epoch 0";
    EXPECT_EQ(flush(buffer.size()), SOTTO_OK);
    EXPECT_EQ(length, 0u);
    fake.now = fault::none;
    EXPECT_EQ(sotto_advance(&device.client, 1), SOTTO_OK);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
}

// Deep sleep, a snapshot, a fork: memory comes back as it was, the noise must not.
TEST_F(Client, RestoredMemoryDoesNotRepeatItsNoise) {
    start();
    const test_fleet_client saved = device;
    std::set<std::string> releases;
    for (uint32_t epoch = 1; epoch <= 20; ++epoch) {
        std::memcpy(&device, &saved, sizeof device);
        ASSERT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
        ASSERT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
        ASSERT_EQ(flush(buffer.size()), SOTTO_OK);
        const read_report r = parse(buffer.data(), length).reports.at(0);
        releases.emplace(r.release.begin(), r.release.end());
    }
    EXPECT_EQ(releases.size(), 20u);
}

TEST_F(Client, AClientInUseIsNotInitialisedAgain) {
    start();
    ASSERT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
    EXPECT_EQ(test_fleet_init(&device, &port), SOTTO_ERR_ALREADY_INITIALISED);
    EXPECT_EQ(sotto_pending(&device.client), 1u) << "nothing queued is lost";
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_ERR_ALREADY_REPORTED);
    sotto_deinit(&device.client);
    EXPECT_EQ(test_fleet_init(&device, &port), SOTTO_OK);
}

TEST_F(Client, ThePortMayGoOutOfScope) {
    {
        const sotto_port local = fake.port();
        ASSERT_EQ(test_fleet_init(&device, &local), SOTTO_OK);
    }
    ASSERT_EQ(sotto_advance(&device.client, 1), SOTTO_OK);
    EXPECT_EQ(fake.calls, 4) << "a seed at init, one at the epoch, each in two blocks";
}

TEST_F(Client, MistakesOfTheCallerAreNamed) {
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_ERR_NOT_INITIALISED);
    ASSERT_EQ(test_fleet_init(&device, &port), SOTTO_OK);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_ERR_NO_EPOCH);
    EXPECT_EQ(sotto_advance(&device.client, UINT32_MAX), SOTTO_ERR_EPOCH_BACKWARD);
    ASSERT_EQ(sotto_advance(&device.client, 4), SOTTO_OK);
    EXPECT_EQ(sotto_advance(&device.client, 3), SOTTO_ERR_EPOCH_BACKWARD);
    EXPECT_EQ(sotto_advance(&device.client, 4), SOTTO_OK);
    EXPECT_EQ(report(2), SOTTO_ERR_UNKNOWN_METRIC);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(sotto_pending(&device.client), 1u);
    ASSERT_EQ(flush(buffer.size()), SOTTO_OK);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_ERR_ALREADY_REPORTED) << "after a flush as well";
    EXPECT_EQ(sotto_flush(&device.client, nullptr, 100, &length), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_flush(&device.client, buffer.data(), 100, nullptr), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_report_boolean(nullptr, 1, true), SOTTO_ERR_NOT_INITIALISED);
}

TEST_F(Client, LastEpochWorks) {
    start(UINT32_MAX - 1);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_ERR_ALREADY_REPORTED);
    ASSERT_EQ(flush(SOTTO_FLUSH_BYTES_MIN), SOTTO_OK);
    EXPECT_EQ(parse(buffer.data(), length).epoch, UINT32_MAX - 1);
}

TEST_F(Client, AFullQueueLosesNothing) {
    start();
    const size_t capacity = std::size(device.state.releases);
    uint32_t epoch = 0;
    for (; sotto_pending(&device.client) < capacity; ++epoch) {
        ASSERT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
        ASSERT_EQ(report(TEST_FLEET_SMOKE), SOTTO_OK);
    }
    ASSERT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
    EXPECT_EQ(report(TEST_FLEET_SMOKE), SOTTO_ERR_QUEUE_FULL);
    // Into small buffers, as many as fit at a time.
    std::set<std::string> releases;
    while (sotto_pending(&device.client) > 0) {
        ASSERT_EQ(flush(2 * 64 + 12), SOTTO_OK);
        for (const read_report &r : parse(buffer.data(), length).reports) {
            releases.emplace(r.release.begin(), r.release.end());
        }
    }
    EXPECT_EQ(releases.size(), capacity);
    EXPECT_EQ(report(TEST_FLEET_SMOKE), SOTTO_OK);
}

TEST_F(Client, ABufferTooSmallLeavesNothingReadable) {
    start(UINT32_MAX - 1);
    ASSERT_EQ(report(TEST_FLEET_WINDOW_OPEN), SOTTO_OK);
    constexpr size_t needed = 42;
    for (size_t capacity = 0; capacity < needed; ++capacity) {
        std::fill(buffer.begin(), buffer.end(), uint8_t{0xee});
        ASSERT_EQ(flush(capacity), SOTTO_ERR_BUFFER_TOO_SMALL);
        ASSERT_EQ(length, 0u);
        ASSERT_TRUE(buffer_is_zero(capacity));
        ASSERT_EQ(buffer[capacity], 0xee) << "not a byte behind the buffer";
    }
    ASSERT_EQ(flush(SOTTO_FLUSH_BYTES_MIN), SOTTO_OK);
    EXPECT_EQ(length, needed);
}

TEST_F(Client, ACopyIsRefused) {
    start();
    test_fleet_client copy = device;
    EXPECT_EQ(sotto_report_boolean(&copy.client, TEST_FLEET_DOOR_OPEN, true),
              SOTTO_ERR_NOT_INITIALISED);
    EXPECT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
    sotto_deinit(&copy.client);
    const auto *bytes = reinterpret_cast<const uint8_t *>(&copy.client);
    EXPECT_TRUE(std::all_of(bytes, bytes + sizeof copy.client, [](uint8_t b) { return b == 0; }));
    EXPECT_EQ(sotto_pending(&device.client), 1u) << "ending a copy leaves the original";
}

TEST_F(Client, TheEndLeavesNothingInMemory) {
    start();
    ASSERT_EQ(report(TEST_FLEET_DOOR_OPEN), SOTTO_OK);
    sotto_deinit(&device.client);
    const auto *bytes = reinterpret_cast<const uint8_t *>(&device);
    EXPECT_TRUE(std::all_of(bytes, bytes + sizeof device, [](uint8_t b) { return b == 0; }));
}

TEST_F(Client, DamagedTablesAreRefused) {
    sotto_metric metric = test_fleet_registry.metrics[0];
    sotto_registry registry = test_fleet_registry;
    registry.metric_count = 1;
    registry.metrics = &metric;
    struct {
        sotto_state_head head;
        std::array<uint32_t, 10> accounts; // the device's and the metric's
        sotto_release release;
        std::array<uint32_t, 1> word;
    } state{};
    std::array<uint32_t, 2> work{};
    std::array<uint8_t, 8> random{};
    const sotto_memory memory = {&state.head,
                                 state.accounts.data(),
                                 &state.release,
                                 state.word.data(),
                                 work.data(),
                                 random.data(),
                                 10,
                                 1,
                                 1,
                                 8,
                                 0,
                                 nullptr};
    sotto_client client{};
    const auto init = [&] {
        sotto_deinit(&client);
        fake.forget();
        return sotto_init(&client, &registry, &port, &memory);
    };
    ASSERT_EQ(init(), SOTTO_OK);
    const sotto_threshold flips[] = {{{0, 0}}, {{0, 0x80000000u}}, {{233612, 0}}};
    for (const sotto_threshold &flip : flips) {
        const sotto_randomized_response table = {&flip};
        metric.table.randomized_response = &table;
        EXPECT_EQ(init(), SOTTO_ERR_REGISTRY);
    }
    const auto refused = [&](auto &&damage) {
        metric = test_fleet_registry.metrics[0];
        damage(metric);
        return init() == SOTTO_ERR_REGISTRY;
    };
    EXPECT_TRUE(refused([](sotto_metric &m) { m.id = 0; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.type = 2; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.mechanism = 3; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.level_count = 0; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.level_count = 17; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.random_bytes = 7; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.table.randomized_response = nullptr; }));
    static const sotto_randomized_response no_flips = {nullptr};
    EXPECT_TRUE(refused([](sotto_metric &m) { m.table.randomized_response = &no_flips; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.cost = nullptr; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.per_epoch = 0; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.request_level = 1; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.cost_reports = 1; }));
    EXPECT_TRUE(refused([](sotto_metric &m) { m.budget = m.cost[0]; })) << "no window";
    EXPECT_TRUE(refused([](sotto_metric &m) { m.window_epochs = 1; })) << "no budget";
    const auto budget = [&](uint32_t less, uint8_t epochs) {
        return refused([&](sotto_metric &m) {
            m.budget = m.cost[0] - less;
            m.window_epochs = epochs;
        });
    };
    EXPECT_FALSE(budget(0, 64));
    EXPECT_TRUE(budget(1, 64)) << "no report could ever be made";
    EXPECT_TRUE(budget(0, 65));
    static const uint32_t nothing = 0;
    EXPECT_TRUE(refused([](sotto_metric &m) { m.cost = &nothing; }));
    static const uint32_t falls[] = {5, 6, 5};
    metric = test_fleet_registry.metrics[1];
    ASSERT_EQ(metric.level_count, 3);
    EXPECT_EQ(init(), SOTTO_OK);
    metric.cost = falls;
    EXPECT_EQ(init(), SOTTO_ERR_REGISTRY);
    metric = test_fleet_registry.metrics[0];
    registry.window_epochs = 64;
    registry.budget = metric.cost[0];
    EXPECT_EQ(init(), SOTTO_ERR_ARGUMENT) << "good tables; this memory has no room for a window";
    registry.budget -= 1;
    EXPECT_EQ(init(), SOTTO_ERR_REGISTRY);
    registry.window_epochs = 0;
    EXPECT_EQ(init(), SOTTO_ERR_REGISTRY);
    registry.budget = 0;
    EXPECT_EQ(init(), SOTTO_OK);
    registry.max_epoch_jump = 0;
    EXPECT_EQ(init(), SOTTO_ERR_REGISTRY);
    registry.max_epoch_jump = 1;
    registry.metric_count = 0;
    EXPECT_EQ(init(), SOTTO_ERR_REGISTRY);
}

TEST(StatusText, EveryStatusHasASentenceOfItsOwn) {
    std::set<std::string> texts;
    const sotto_status statuses[] = {SOTTO_OK,
                                     SOTTO_VALUE_CLAMPED,
                                     SOTTO_VALUE_TOO_LONG,
                                     SOTTO_VALUE_TOO_MANY,
                                     SOTTO_VALUE_REPEATED_MEMBER,
                                     SOTTO_ERR_NO_SUCH_VALUE,
                                     SOTTO_ERR_NO_LADDER,
                                     SOTTO_ERR_NO_SUCH_LEVEL,
                                     SOTTO_ERR_LEVEL_NOT_ABOVE,
                                     SOTTO_ERR_NO_RELEASE,
                                     SOTTO_ERR_LEVELS_BELOW,
                                     SOTTO_ERR_ARGUMENT,
                                     SOTTO_ERR_NOT_INITIALISED,
                                     SOTTO_ERR_NO_EPOCH,
                                     SOTTO_ERR_EPOCH_BACKWARD,
                                     SOTTO_ERR_UNKNOWN_METRIC,
                                     SOTTO_ERR_WRONG_TYPE,
                                     SOTTO_ERR_REGISTRY,
                                     SOTTO_ERR_ALREADY_REPORTED,
                                     SOTTO_ERR_QUEUE_FULL,
                                     SOTTO_ERR_BUFFER_TOO_SMALL,
                                     SOTTO_ERR_ALREADY_INITIALISED,
                                     SOTTO_ERR_ENTROPY_FAILED,
                                     SOTTO_ERR_ENTROPY_SHORT,
                                     SOTTO_ERR_ENTROPY_TIMEOUT,
                                     SOTTO_ERR_ENTROPY_STUCK,
                                     SOTTO_ERR_ENTROPY_BIASED,
                                     SOTTO_ERR_ENTROPY_WEAK,
                                     SOTTO_ERR_ENTROPY_DEAD,
                                     SOTTO_ERR_CRYPTO,
                                     SOTTO_ERR_STORAGE,
                                     12345};
    for (const sotto_status status : statuses) {
        texts.insert(sotto_status_text(status));
    }
    EXPECT_EQ(texts.size(), std::size(statuses));
}

} // namespace
