// SPDX-License-Identifier: Apache-2.0
// Reads the memory after a sealed flush: the stack it ran on, the client and the buffer. Neither
// the keys that were derived nor anything of the batch in the clear may be left.
#include "fake_port.hpp"
#include "metrics.h"
#include "seal/envelope_schedule.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <set>
#include <string>
#include <vector>

namespace {

using byte_string = std::vector<uint8_t>;

constexpr size_t stack_bytes = 1 << 18;
constexpr uint8_t paint = 0xa5;
constexpr size_t key_bytes = 32;

// Runs it on a stack of its own, and answers what is on that afterwards.
byte_string stack_after(std::function<void()> run) {
    void *stack = std::aligned_alloc(4096, stack_bytes);
    std::fill_n(static_cast<uint8_t *>(stack), stack_bytes, paint);
    pthread_attr_t attributes;
    pthread_t thread;
    EXPECT_EQ(pthread_attr_init(&attributes), 0);
    EXPECT_EQ(pthread_attr_setstack(&attributes, stack, stack_bytes), 0);
    const auto body = [](void *context) -> void * {
        (*static_cast<std::function<void()> *>(context))();
        return nullptr;
    };
    EXPECT_EQ(pthread_create(&thread, &attributes, body, &run), 0);
    EXPECT_EQ(pthread_join(thread, nullptr), 0);
    pthread_attr_destroy(&attributes);
    const auto *first = static_cast<const uint8_t *>(stack);
    byte_string left(first, first + stack_bytes);
    std::free(stack);
    return left;
}

// How many 8 bytes in a row of the secret stand anywhere in memory. Rows that are nearly constant
// (padding, tags) say nothing and would be found by chance.
size_t traces(const byte_string &memory, const byte_string &secret) {
    constexpr long window = 8;
    size_t found = 0;
    for (auto row = secret.begin(); secret.end() - row >= window; ++row) {
        if (std::set<uint8_t>(row, row + window).size() >= 6) {
            found += std::search(memory.begin(), memory.end(), row, row + window) != memory.end()
                         ? 1
                         : 0;
        }
    }
    return found;
}

// As a library does that works on a copy of a key, at the deep end of its frame.
[[gnu::noinline]] void leave_copy(const uint8_t *key) {
    uint8_t copy[8 * key_bytes];
    std::copy_n(key, key_bytes, copy);
    __asm__ volatile("" ::"r"(copy) : "memory");
}

byte_string ephemeral_seen, text_seen;

sotto_status observed(const uint8_t *public_key, const uint8_t *ephemeral, const uint8_t *header,
                      size_t header_bytes, uint8_t *enc, uint8_t *text, size_t text_bytes) {
    ephemeral_seen.assign(ephemeral, ephemeral + key_bytes);
    text_seen.assign(text, text + text_bytes);
    leave_copy(ephemeral);
    return sotto_seal_hpke(public_key, ephemeral, header, header_bytes, enc, text, text_bytes);
}

struct secret {
    const char *name;
    byte_string bytes;
};

std::vector<secret> secrets_of(const sotto_seal_key &key, const byte_string &ephemeral) {
    byte_string shared(key_bytes), enc(key_bytes);
    EXPECT_EQ(sotto::crypto::x25519(ephemeral.data(), key.public_key, shared.data()), SOTTO_OK);
    sotto::seal::sender_context context;
    EXPECT_EQ(sotto::seal::setup_sender(key.public_key, ephemeral.data(),
                                        sotto::seal::envelope_schedule, enc.data(), context),
              SOTTO_OK);
    byte_string clamped = ephemeral;
    clamped[0] &= 0xf8;
    clamped[31] = static_cast<uint8_t>((clamped[31] & 0x7f) | 0x40);
    return {{"ephemeral key", ephemeral},
            {"clamped ephemeral key", clamped},
            {"Diffie-Hellman secret", shared},
            {"AEAD key", {context.key, context.key + sizeof context.key}},
            {"nonce", {context.base_nonce, context.base_nonce + sizeof context.base_nonce}}};
}

class Wiped : public ::testing::Test {
  protected:
    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
        GTEST_SKIP() << "frames are larger than any that ship";
#endif
    }

    fake_port fake;
    sotto_port port = fake.port();
    sealed_fleet_client device{};
    byte_string buffer = byte_string(512);
    size_t length = 0;
};

TEST_F(Wiped, NothingIsLeftOfASealedFlush) {
    sotto_sealing sealing = *sealed_fleet_registry.sealing;
    sealing.seal = observed;
    sotto_registry registry = sealed_fleet_registry;
    registry.sealing = &sealing;
    ASSERT_EQ(sealed_fleet_init(&device, &port), SOTTO_OK);
    device.client.registry = &registry;
    ASSERT_EQ(sotto_advance(&device.client, 0), SOTTO_OK);
    ASSERT_EQ(sotto_report_boolean(&device.client, SEALED_FLEET_DOOR_OPEN, true), SOTTO_OK);
    ASSERT_EQ(sotto_report_string(&device.client, SEALED_FLEET_AIRCRAFT, "B-737-300", 9), SOTTO_OK);
    sotto_status status = SOTTO_ERR_ARGUMENT;
    const byte_string stack = stack_after(
        [&] { status = sotto_flush(&device.client, buffer.data(), buffer.size(), &length); });
    ASSERT_EQ(status, SOTTO_OK);
    ASSERT_GT(length, 90u);
    // Until then the client keeps what it would send again.
    ASSERT_EQ(sotto_acknowledge(&device.client), SOTTO_OK);

    const auto *first = reinterpret_cast<const uint8_t *>(&device);
    const byte_string client(first, first + sizeof device);
    std::vector<secret> secrets = secrets_of(sealing.keys[1], ephemeral_seen);
    secrets.push_back({"batch", text_seen});
    for (const secret &s : secrets) {
        EXPECT_EQ(traces(stack, s.bytes), 0u) << s.name << " on the stack";
        EXPECT_EQ(traces(client, s.bytes), 0u) << s.name << " in the client";
        EXPECT_EQ(traces(buffer, s.bytes), 0u) << s.name << " in the buffer";
    }
    // The batch did have something to find.
    EXPECT_GT(traces(text_seen, text_seen), 20u);
}

// The search finds what a flush would leave if nobody wiped the frames below.
TEST_F(Wiped, ControlACopyIsFound) {
    byte_string ephemeral(key_bytes);
    for (size_t i = 0; i < key_bytes; ++i) {
        ephemeral[i] = static_cast<uint8_t>(17 * i + 3);
    }
    const byte_string stack = stack_after([&] { leave_copy(ephemeral.data()); });
    EXPECT_GT(traces(stack, ephemeral), 0u);
}

} // namespace
