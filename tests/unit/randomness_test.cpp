// SPDX-License-Identifier: Apache-2.0
// The client's generator and its buffer.
#include "fake_port.hpp"
#include "metrics.h"

#include "client/randomness.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace {

using sotto::device::draw;
using sotto::device::prepare;
using sotto::device::renew_randomness;

class Randomness : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    test_fleet_client device{};
    sotto_client &client = device.client;

    void SetUp() override {
        ASSERT_EQ(test_fleet_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(renew_randomness(client, 0), SOTTO_OK); // begin with an empty buffer
    }
    std::vector<uint8_t> drawn(size_t length) {
        std::vector<uint8_t> bytes(length, 0xee);
        EXPECT_EQ(draw(client, bytes.data(), bytes.size()), SOTTO_OK);
        return bytes;
    }
    bool is_wiped_from(size_t first) const {
        return std::all_of(client.random + first, client.random + sizeof client.random,
                           [](uint8_t b) { return b == 0; });
    }
    // Whether the client's memory has the bytes somewhere.
    bool remembers(const std::vector<uint8_t> &bytes) const {
        const auto *memory = reinterpret_cast<const uint8_t *>(&device);
        const auto *end = memory + sizeof device;
        return std::search(memory, end, bytes.begin(), bytes.end()) != end;
    }
};

TEST_F(Randomness, WhatWasPreparedIsHandedOutAndForgotten) {
    ASSERT_EQ(prepare(client, 40), SOTTO_OK);
    EXPECT_EQ(client.random_left, 48) << "whole blocks";
    const std::vector<uint8_t> next(client.random + 16, client.random + 48);
    EXPECT_EQ(drawn(32), next);
    EXPECT_FALSE(remembers(next));
    EXPECT_EQ(client.random_left, 16);
    EXPECT_TRUE(is_wiped_from(16));
    const auto eight = drawn(8);
    EXPECT_FALSE(remembers(eight));
    // The rest stays, and what is missing is added.
    const std::vector<uint8_t> rest(client.random, client.random + 8);
    ASSERT_EQ(prepare(client, 40), SOTTO_OK);
    EXPECT_EQ(client.random_left, 40);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), client.random));
}

TEST_F(Randomness, NothingIsEverTheSame) {
    std::set<std::vector<uint8_t>> seen;
    size_t count = 0;
    for (size_t round = 0; round < 200; ++round) {
        ASSERT_EQ(prepare(client, round % 140), SOTTO_OK);
        for (const size_t length : {size_t{8}, size_t{16}, size_t{40}}) {
            const auto bytes = drawn(length);
            for (size_t i = 0; i < length; i += 8) {
                seen.insert({bytes.data() + i, bytes.data() + i + 8});
                ++count;
            }
        }
    }
    EXPECT_EQ(seen.size(), count);
}

TEST_F(Randomness, MoreThanTheBufferHoldsComesStraightFromTheGenerator) {
    ASSERT_EQ(prepare(client, 129), SOTTO_OK);
    EXPECT_EQ(client.random_left, 0);
    ASSERT_EQ(prepare(client, sizeof client.random), SOTTO_OK);
    EXPECT_EQ(client.random_left, sizeof client.random);
    EXPECT_FALSE(remembers(drawn(1024)));
    EXPECT_EQ(client.random_left, sizeof client.random);
}

TEST_F(Randomness, ARenewalHandsOutNothingOfBefore) {
    ASSERT_EQ(prepare(client, sizeof client.random), SOTTO_OK);
    ASSERT_EQ(renew_randomness(client, 0), SOTTO_OK);
    EXPECT_EQ(client.random_left, 0);
    EXPECT_TRUE(is_wiped_from(0));
}

TEST_F(Randomness, AFailureLeavesNothing) {
    ASSERT_EQ(prepare(client, sizeof client.random), SOTTO_OK);
    fake.now = fake_port::fault::timeout;
    EXPECT_EQ(renew_randomness(client, 0), SOTTO_ERR_ENTROPY_TIMEOUT);
    EXPECT_TRUE(is_wiped_from(0));
    // More at once than the generator gives.
    fake.now = fake_port::fault::none;
    ASSERT_EQ(prepare(client, sizeof client.random), SOTTO_OK);
    std::vector<uint8_t> bytes(1025, 0xee);
    EXPECT_EQ(draw(client, bytes.data(), bytes.size()), SOTTO_ERR_CRYPTO);
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; }));
    EXPECT_TRUE(is_wiped_from(0));
}

TEST_F(Randomness, TheSourceIsAskedAgainAfterAThousandRequests) {
    const int before = fake.calls;
    for (int i = 0; i < 1000; ++i) {
        drawn(16);
    }
    EXPECT_EQ(fake.calls, before);
    drawn(16);
    EXPECT_EQ(fake.calls, before + 2) << "a block for each half of the seed";
    // When it can't answer then, there is an error, and no byte of the old state.
    for (int i = 1; i < 1000; ++i) {
        drawn(16);
    }
    fake.now = fake_port::fault::error;
    std::array<uint8_t, 16> bytes{};
    bytes.fill(0xee);
    EXPECT_EQ(draw(client, bytes.data(), bytes.size()), SOTTO_ERR_ENTROPY_FAILED);
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; }));
    fake.now = fake_port::fault::none;
    drawn(16);
}

} // namespace
