// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TESTS_UNIT_VALUES_HPP
#define SOTTO_TESTS_UNIT_VALUES_HPP

#include "client/derive.hpp"
#include "client/internal.hpp"
#include "fake_port.hpp"

#include "metrics.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

// A device of tests/mechanisms.toml, in its first epoch.
class Values : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    every_client device{};
    sotto_client *client = &device.client;
    std::array<uint8_t, 4096> buffer{};
    size_t length = 0;

    void SetUp() override {
        ASSERT_EQ(every_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    }
    void flush() {
        ASSERT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    }
    void new_device() {
        sotto_deinit(client);
        fake.forget();
        ASSERT_EQ(every_init(&device, &port), SOTTO_OK);
    }
    const sotto_release *release(uint16_t id, uint32_t epoch) {
        for (const sotto_release &r : device.state.releases) {
            if (r.flags != 0 && r.epoch == epoch && r.metric_id == id) {
                return &r;
            }
        }
        return nullptr;
    }
    std::vector<uint32_t> published(uint16_t id, uint32_t epoch, uint32_t level) {
        const sotto_release *r = release(id, epoch);
        if (r == nullptr) {
            ADD_FAILURE() << "no release";
            return {};
        }
        const sotto_metric &m = every_registry.metrics[r->metric_index];
        std::vector<uint32_t> words(m.value_words);
        EXPECT_EQ(sotto::device::derive(*client, *r, level, words.data()), SOTTO_OK);
        return words;
    }
    double probability_of_zero_bit() {
        for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
            if (every_registry.metrics[i].id == EVERY_FAULTS) {
                const sotto_bit_channel &c = every_registry.metrics[i].table.unary->channel[2];
                return c.one_if_zero.limb[0] / 4294967296.0; // 32 bits
            }
        }
        return 1;
    }
    sotto_status report_string(const std::string &text) {
        return sotto_report_string(client, EVERY_AIRCRAFT, text.data(), text.size());
    }
};

#endif
