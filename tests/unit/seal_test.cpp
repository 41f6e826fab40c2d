// SPDX-License-Identifier: Apache-2.0
// The key that a batch is sealed with, its sealed part, and failures of sealing.
#include "client/registry_check.hpp"
#include "fake_port.hpp"
#include "metrics.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using byte_string = std::vector<uint8_t>;

constexpr uint32_t old_id = 0xb197ec59, new_id = 0x3ce59b53; // tests/keys
constexpr size_t enc_bytes = 32, tag_bytes = 16;

// Stands in for HPKE: notes what it was given, and marks what it writes.
struct seen {
    byte_string public_key, ephemeral, header, text;
};
std::vector<seen> calls;
sotto_status answer = SOTTO_OK;

sotto_status spy(const uint8_t *public_key, const uint8_t *ephemeral, const uint8_t *header,
                 size_t header_bytes, uint8_t *enc, uint8_t *text, size_t text_bytes) {
    calls.push_back({{public_key, public_key + 32},
                     {ephemeral, ephemeral + 32},
                     {header, header + header_bytes},
                     {text, text + text_bytes}});
    std::fill_n(enc, enc_bytes, uint8_t{0xe1});
    std::fill_n(text, text_bytes, uint8_t{0xc2});
    std::fill_n(text + text_bytes, tag_bytes, uint8_t{0x13});
    return answer;
}

class Sealed : public ::testing::Test {
  protected:
    Sealed() {
        calls.clear();
        answer = SOTTO_OK;
        sealing.seal = spy;
        registry.sealing = &sealing;
    }

    // A new device.
    sotto_status init() {
        fake.forget();
        const sotto_status status = sealed_fleet_init(&device, &port);
        device.client.registry = &registry; // it differs in nothing but how it seals
        return status;
    }
    void start(uint32_t epoch = 0) {
        ASSERT_EQ(init(), SOTTO_OK);
        ASSERT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(&device.client, SEALED_FLEET_DOOR_OPEN, true), SOTTO_OK);
    }
    sotto_status flush(size_t capacity = 512) {
        return sotto_flush(&device.client, buffer.data(), capacity, &length);
    }
    bool nothing_left() const {
        return length == 0 &&
               std::all_of(buffer.begin(), buffer.begin() + 512, [](uint8_t b) { return b == 0; });
    }

    fake_port fake;
    sotto_port port = fake.port();
    sotto_sealing sealing = *sealed_fleet_registry.sealing;
    sotto_registry registry = sealed_fleet_registry;
    sealed_fleet_client device{};
    byte_string buffer = byte_string(512, 0xee);
    size_t length = 99;
};

byte_string varint(uint32_t x) {
    byte_string out;
    for (; x >= 0x80; x >>= 7) {
        out.push_back(static_cast<uint8_t>(x | 0x80));
    }
    out.push_back(static_cast<uint8_t>(x));
    return out;
}

byte_string operator+(byte_string a, const byte_string &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

TEST_F(Sealed, TheEnvelopeIsAsWireMdSays) {
    start();
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(calls.size(), 1u);
    const uint32_t f = registry.fingerprint;
    const byte_string header = byte_string{0x08,
                                           0x02,
                                           0x15,
                                           static_cast<uint8_t>(f),
                                           static_cast<uint8_t>(f >> 8),
                                           static_cast<uint8_t>(f >> 16),
                                           static_cast<uint8_t>(f >> 24),
                                           0x25,
                                           static_cast<uint8_t>(new_id),
                                           static_cast<uint8_t>(new_id >> 8),
                                           static_cast<uint8_t>(new_id >> 16),
                                           static_cast<uint8_t>(new_id >> 24)};
    EXPECT_EQ(calls[0].header, header);
    EXPECT_EQ(calls[0].text.size(), 32u);
    EXPECT_EQ(calls[0].text[0], 0x11); // a seed: the epoch is 0
    const byte_string content = header + byte_string{0x2a, enc_bytes} +
                                byte_string(enc_bytes, 0xe1) + byte_string{0x32, 32 + tag_bytes} +
                                byte_string(32, 0xc2) + byte_string(tag_bytes, 0x13);
    const byte_string expected = varint(static_cast<uint32_t>(content.size())) + content;
    EXPECT_EQ(byte_string(buffer.begin(), buffer.begin() + static_cast<long>(length)), expected);
    EXPECT_LE(length, SEALED_FLEET_FLUSH_BYTES_MIN);
}

TEST_F(Sealed, TheNewestKeyThatIsNotRetired) {
    const auto id_used = [&](uint32_t epoch) {
        start(epoch);
        EXPECT_EQ(flush(), SOTTO_OK);
        const sotto_seal_key *key = std::find_if(
            sealing.keys, sealing.keys + sealing.key_count, [&](const sotto_seal_key &candidate) {
                return std::equal(candidate.public_key, candidate.public_key + 32,
                                  calls.back().public_key.begin());
            });
        sotto_deinit(&device.client);
        return key->id;
    };
    EXPECT_EQ(id_used(0), new_id);
    EXPECT_EQ(id_used(20), new_id);
    // The newer one may end first.
    std::array<sotto_seal_key, 2> swapped = {sealing.keys[1], sealing.keys[0]};
    sealing.keys = swapped.data();
    EXPECT_EQ(id_used(10), old_id);
    EXPECT_EQ(id_used(11), new_id);
}

// Or who tries again and again would wear the flash.
TEST_F(Sealed, WithoutRandomnessAFlushStoresNothing) {
    start();
    const int before = fake.stores;
    device.client.health.is_dead = 1;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(flush(), SOTTO_ERR_ENTROPY_DEAD);
        EXPECT_TRUE(nothing_left());
    }
    EXPECT_EQ(fake.stores, before);
    device.client.health.is_dead = 0;
    EXPECT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(fake.stores, before + 1);
}

TEST_F(Sealed, ARetiredKeySaysSoAndNothingLeaves) {
    start(21);
    EXPECT_EQ(flush(), SOTTO_ERR_KEY_RETIRED);
    EXPECT_TRUE(nothing_left());
    EXPECT_TRUE(calls.empty());
    EXPECT_EQ(sotto_pending(&device.client), 1u);
    EXPECT_NE(std::string(sotto_status_text(SOTTO_ERR_KEY_RETIRED)).find("retired"),
              std::string::npos);
}

TEST_F(Sealed, WhateverFailsNothingLeaves) {
    start();
    answer = SOTTO_ERR_CRYPTO;
    EXPECT_EQ(flush(), SOTTO_ERR_CRYPTO);
    EXPECT_TRUE(nothing_left());
    EXPECT_EQ(sotto_pending(&device.client), 1u);
    answer = SOTTO_OK;
    EXPECT_EQ(flush(SEALED_FLEET_FLUSH_BYTES_MIN - 60), SOTTO_ERR_BUFFER_TOO_SMALL);
    EXPECT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(calls[0].text, calls[1].text) << "the same reports again";
    EXPECT_EQ(sotto_pending(&device.client), 0u);
}

TEST_F(Sealed, EveryEphemeralKeyIsNew) {
    std::set<byte_string> ephemerals;
    for (uint32_t epoch = 0; epoch < 20; ++epoch) {
        if (epoch == 0) {
            start();
        } else {
            ASSERT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
            ASSERT_EQ(sotto_report_boolean(&device.client, SEALED_FLEET_DOOR_OPEN, true), SOTTO_OK);
        }
        ASSERT_EQ(flush(), SOTTO_OK);
        ephemerals.insert(calls.back().ephemeral);
    }
    EXPECT_EQ(ephemerals.size(), 20u);
}

// A source that begins again at every start. A batch that is sent again after one start, and one
// that is sent after the next, would be sealed with the same key. No two texts may be.
TEST_F(Sealed, ASourceThatBeginsAgainSealsNoOtherTextWithTheSameKey) {
    std::map<byte_string, std::set<byte_string>> texts; // by ephemeral key
    start();
    ASSERT_EQ(flush(), SOTTO_OK);
    for (const bool is_again : {true, false, true}) {
        fake.state = 1;
        device = {};
        ASSERT_EQ(sealed_fleet_init(&device, &port), SOTTO_OK);
        device.client.registry = &registry;
        ASSERT_EQ(sotto_advance(&device.client, 1), SOTTO_OK);
        const sotto_status status =
            sotto_report_boolean(&device.client, SEALED_FLEET_DOOR_OPEN, true);
        EXPECT_TRUE(status == SOTTO_OK || status == SOTTO_ERR_ALREADY_REPORTED);
        ASSERT_EQ(is_again ? sotto_resend(&device.client, buffer.data(), 512, &length) : flush(),
                  SOTTO_OK);
    }
    for (const seen &call : calls) {
        texts[call.ephemeral].insert(call.text);
    }
    EXPECT_EQ(calls.size(), 4u);
    for (const auto &[key, sealed] : texts) {
        EXPECT_EQ(sealed.size(), 1u);
    }
    // The control: the generator did repeat, and the same text is the same envelope then.
    EXPECT_GE(texts.size(), 3u);
}

// Any report, however large, fits the generated minimum, and the length is the same for any value.
TEST_F(Sealed, TheGeneratedSizeHoldsTheLargestReport) {
    std::set<size_t> lengths;
    for (const char *text : {"", "B-737-300", "a very long one that nobody has ever seen before"}) {
        ASSERT_EQ(init(), SOTTO_OK);
        ASSERT_EQ(sotto_advance(&device.client, 20), SOTTO_OK);
        ASSERT_EQ(sotto_report_string(&device.client, SEALED_FLEET_AIRCRAFT, text,
                                      std::string(text).size()),
                  SOTTO_OK);
        EXPECT_EQ(flush(SEALED_FLEET_FLUSH_BYTES_MIN), SOTTO_OK);
        lengths.insert(length);
        sotto_deinit(&device.client);
    }
    EXPECT_EQ(lengths.size(), 1u);
}

struct envelope_length {
    uint32_t booleans; // one an epoch, up to the last that there is: no envelope is longer
    bool is_sealed;
    uint8_t padding_step;
    size_t bytes;
};

// The table of docs/PERFORMANCE.md.
constexpr envelope_length envelope_lengths[] = {
    {1, false, 32, 42}, {1, false, 8, 34},   {1, false, 0, 31},  {1, true, 32, 97},
    {1, true, 8, 89},   {1, true, 0, 86},    {8, false, 32, 74}, {8, false, 8, 50},
    {8, false, 0, 48},  {16, true, 32, 130}, {16, true, 8, 130}, {16, true, 0, 120}};

TEST_F(Sealed, EnvelopesOfBooleansAreSmall) {
    constexpr uint32_t last_epoch = UINT32_MAX - 1;
    sotto_seal_key key = sealing.keys[0];
    key.last_epoch = UINT32_MAX;
    sealing.keys = &key;
    sealing.key_count = 1;
    for (const envelope_length &expected : envelope_lengths) {
        SCOPED_TRACE(std::to_string(expected.booleans) + " by " +
                     std::to_string(expected.padding_step));
        registry.padding_bytes = expected.padding_step;
        registry.sealing = expected.is_sealed ? &sealing : nullptr;
        start(last_epoch + 1 - expected.booleans);
        for (uint32_t left = expected.booleans - 1; left > 0; --left) {
            ASSERT_EQ(sotto_advance(&device.client, last_epoch + 1 - left), SOTTO_OK);
            ASSERT_EQ(sotto_report_boolean(&device.client, SEALED_FLEET_DOOR_OPEN, true), SOTTO_OK);
        }
        EXPECT_EQ(sotto_pending(&device.client), expected.booleans);
        ASSERT_EQ(flush(), SOTTO_OK);
        EXPECT_EQ(sotto_pending(&device.client), 0u);
        EXPECT_EQ(length, expected.bytes);
        sotto_deinit(&device.client);
    }
}

// A row of the same table: by padding.
constexpr std::pair<uint8_t, size_t> string_lengths[] = {{32, 130}, {8, 105}, {0, 102}};

TEST_F(Sealed, AStringOf128BitsIsSmall) {
    sotto_seal_key key = sealing.keys[0];
    key.last_epoch = UINT32_MAX;
    sealing.keys = &key;
    sealing.key_count = 1;
    for (const auto &[step, bytes] : string_lengths) {
        registry.padding_bytes = step;
        ASSERT_EQ(init(), SOTTO_OK);
        ASSERT_EQ(sotto_advance(&device.client, UINT32_MAX - 1), SOTTO_OK);
        ASSERT_EQ(sotto_report_string(&device.client, SEALED_FLEET_AIRCRAFT, "B-737", 5), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
        EXPECT_EQ(length, bytes) << int{step};
        sotto_deinit(&device.client);
    }
}

TEST_F(Sealed, KeysThatNothingSealsWithAreNoRegistry) {
    sotto::memory_need need;
    EXPECT_EQ(sotto::check_registry(registry, need), SOTTO_OK);
    sealing.seal = nullptr;
    EXPECT_EQ(sotto::check_registry(registry, need), SOTTO_ERR_REGISTRY);
    sealing.seal = spy;
    sealing.key_count = 0;
    EXPECT_EQ(sotto::check_registry(registry, need), SOTTO_ERR_REGISTRY);
    sealing.key_count = 2;
    sealing.keys = nullptr;
    EXPECT_EQ(sotto::check_registry(registry, need), SOTTO_ERR_REGISTRY);
}

} // namespace
