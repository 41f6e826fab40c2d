// SPDX-License-Identifier: Apache-2.0
#ifndef STATE_HPP
#define STATE_HPP

#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using id_and_level = std::tuple<std::string, uint32_t>;

// A device with budgets, in epoch 0.
class State : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    budgets_client device{};
    sotto_client *client = &device.client;
    std::array<uint8_t, 2048> buffer{};
    size_t length = 0;
    sotto_registry registry = budgets_registry;
    std::vector<sotto_metric> metrics{registry.metrics, registry.metrics + registry.metric_count};

    void SetUp() override { ASSERT_EQ(begin(0), SOTTO_OK); }
    sotto_status init() { return budgets_init(&device, &port); }
    sotto_status begin(uint32_t epoch) {
        const sotto_status status = init();
        return status == SOTTO_OK ? sotto_advance(client, epoch) : status;
    }
    sotto_status reboot() {
        std::memset(&device, 0xa5, sizeof device); // memory after power-on is anything
        return init();
    }
    sotto_status door(bool value = true) {
        return sotto_report_boolean(client, BUDGETS_DOOR, value);
    }
    sotto_status flush() { return sotto_flush(client, buffer.data(), buffer.size(), &length); }
    std::map<id_and_level, std::string>
    reports(const sotto_registry &sender = budgets_registry) const {
        std::map<id_and_level, std::string> result;
        for (const read_report &r : read_batch(buffer.data(), length, sender).reports) {
            result[{std::string(r.release.begin(), r.release.end()), r.level}] =
                std::to_string(r.index);
        }
        return result;
    }
    sotto_account account(uint16_t id) {
        sotto_account a{};
        EXPECT_EQ(sotto_get_account(client, id, &a), SOTTO_OK);
        return a;
    }
    uint32_t cost(uint16_t id, uint32_t level) const {
        const auto m =
            std::find_if(metrics.begin(), metrics.end(),
                         [&](const sotto_metric &candidate) { return candidate.id == id; });
        return m->cost[level];
    }

    // Another firmware on the same device, in memory that fits it.
    sotto_status boot(const sotto_registry &with, size_t account_words,
                      uint16_t releases = 17, // more than budgets_client has
                      uint16_t words = 1) {
        std::memset(&device, 0, sizeof device);
        constexpr size_t head = sizeof(sotto_state_head) / 4;
        other_state_.assign(head + account_words + releases * (size_t{14} + words), 0);
        other_work_.assign(size_t{2} * words, 0);
        sotto_memory memory{};
        memory.head = reinterpret_cast<sotto_state_head *>(other_state_.data());
        memory.accounts = other_state_.data() + head;
        memory.releases = reinterpret_cast<sotto_release *>(memory.accounts + account_words);
        memory.words = memory.accounts + account_words + releases * size_t{14};
        memory.work = other_work_.data();
        memory.random = device.random;
        memory.account_words = static_cast<uint16_t>(account_words);
        memory.release_capacity = releases;
        memory.words_per_release = words;
        memory.random_bytes = sizeof device.random;
        return sotto_init(client, &with, &port, &memory);
    }
    static size_t account_words(const std::vector<uint32_t> &windows, size_t tags) {
        size_t words = 5 * windows.size() + 2 * tags;
        for (const uint32_t window : windows) {
            words += window == 0 ? 0 : 2 * window - 1;
        }
        return words;
    }

  private:
    std::vector<uint32_t> other_state_;
    std::vector<uint32_t> other_work_;
};

#endif
