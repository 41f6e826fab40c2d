// SPDX-License-Identifier: Apache-2.0
// A device of tests/counters.toml. With the same seed it draws the same noise whatever is counted:
// what two runs publish differs by the events alone.
#ifndef COUNTERS_HPP
#define COUNTERS_HPP

#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

using epoch_and_metric = std::pair<uint32_t, uint32_t>;
using published_rows = std::map<epoch_and_metric, std::vector<uint32_t>>;

inline constexpr std::array<uint16_t, 3> summed = {COUNTERS_STEPS, COUNTERS_DOORS, COUNTERS_HEAT};

struct counting_device {
    fake_port fake;
    sotto_port port = fake.port();
    counters_client device{};
    sotto_client *client = &device.client;
    published_rows published; // each once: another of the same metric and epoch is an error

    counting_device() { EXPECT_EQ(counters_init(&device, &port), SOTTO_OK); }
    // All that was in memory is gone.
    void reset() {
        std::memset(&device, 0, sizeof device);
        ASSERT_EQ(counters_init(&device, &port), SOTTO_OK);
    }
    void flush() {
        std::array<uint8_t, 2048> buffer{};
        size_t length = 0;
        ASSERT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        if (length == 0) {
            return;
        }
        const read_batch batch(buffer.data(), length, counters_registry);
        for (const read_report &r : batch.reports) {
            ASSERT_EQ(r.shown, sotto::shown::rows);
            std::vector<uint32_t> numbers(r.bytes.size() / 4);
            std::memcpy(numbers.data(), r.bytes.data(), r.bytes.size());
            const epoch_and_metric at = {batch.epoch - r.epoch_age, r.metric};
            ASSERT_TRUE(published.emplace(at, numbers).second) << "published twice";
        }
        ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    }
    void advance(uint32_t epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        flush();
    }
    sotto_status count(uint16_t id, int32_t amount = 1) { return sotto_count(client, id, amount); }
};

// The numbers of a run less those of the same run without events.
inline published_rows difference(const published_rows &with, const published_rows &without) {
    published_rows result;
    EXPECT_EQ(with.size(), without.size());
    for (const auto &[at, numbers] : with) {
        const std::vector<uint32_t> &noise = without.at(at);
        EXPECT_EQ(numbers.size(), noise.size()) << "as many rows, whatever was counted";
        for (size_t i = 0; i < numbers.size(); ++i) {
            result[at].push_back(numbers[i] - noise.at(i));
        }
    }
    return result;
}

#endif
