// SPDX-License-Identifier: Apache-2.0
// The psa port's MAC over Mbed TLS: its key stays in PSA's key store, and a forged state is
// refused.
#include "client/stored.hpp"
#include "crypto/hkdf_sha256.hpp"
#include "fake_port.hpp"
#include "metrics.h"
#include "sotto_psa.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <psa/crypto.h>

namespace {

constexpr uint32_t own_key = 7, known_key = 8;
using tag = std::array<uint8_t, 16>;

tag tag_of(uint32_t key, uint8_t first) {
    const std::array<uint8_t, 32> digest = {first};
    tag made{};
    EXPECT_EQ(sotto_psa_mac(key, digest.data(), made.data()), SOTTO_OK);
    return made;
}

class PsaMac : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(psa_crypto_init(), PSA_SUCCESS); }
};

TEST_F(PsaMac, IsHmacSha256) {
    const std::array<uint8_t, 32> key = {1, 2, 3}, digest = {9};
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_id(&attributes, known_key);
    psa_set_key_type(&attributes, PSA_KEY_TYPE_HMAC);
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_SIGN_MESSAGE);
    psa_set_key_algorithm(&attributes, PSA_ALG_TRUNCATED_MAC(PSA_ALG_HMAC(PSA_ALG_SHA_256), 16));
    psa_key_id_t id = 0;
    ASSERT_EQ(psa_import_key(&attributes, key.data(), key.size(), &id), PSA_SUCCESS);
    tag expected{};
    ASSERT_EQ(sotto_hmac_sha256(key.data(), digest.data(), expected.data()), SOTTO_OK);
    EXPECT_EQ(tag_of(id, 9), expected);
    EXPECT_NE(tag_of(id, 8), expected);
    psa_destroy_key(id);
}

TEST_F(PsaMac, KeyIsMadeOnceAndNeverLeaves) {
    std::array<uint8_t, 32> bytes{};
    tag none{};
    size_t length = 0;
    EXPECT_EQ(sotto_psa_mac(own_key, bytes.data(), none.data()), SOTTO_ERR_STORAGE);
    ASSERT_EQ(sotto_psa_make_mac_key(own_key), SOTTO_OK);
    const tag first = tag_of(own_key, 1);
    ASSERT_EQ(sotto_psa_make_mac_key(own_key), SOTTO_OK);
    EXPECT_EQ(tag_of(own_key, 1), first) << "the same key";
    mbedtls_psa_crypto_free(); // a reboot
    ASSERT_EQ(psa_crypto_init(), PSA_SUCCESS);
    EXPECT_EQ(tag_of(own_key, 1), first);
    EXPECT_EQ(psa_export_key(own_key, bytes.data(), bytes.size(), &length),
              PSA_ERROR_NOT_PERMITTED);
    ASSERT_EQ(psa_destroy_key(own_key), PSA_SUCCESS);
    ASSERT_EQ(sotto_psa_make_mac_key(own_key), SOTTO_OK);
    EXPECT_NE(tag_of(own_key, 1), first);
    ASSERT_EQ(psa_destroy_key(own_key), PSA_SUCCESS);
}

TEST_F(PsaMac, OfAClientsState) {
    ASSERT_EQ(sotto_psa_make_mac_key(own_key), SOTTO_OK);
    fake_port fake;
    sotto_port port = fake.port();
    port.mac = [](void *, const uint8_t *digest, uint8_t *made) -> sotto_status {
        return sotto_psa_mac(own_key, digest, made);
    };
    budgets_client device{};
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    sotto_deinit(&device.client);
    ASSERT_EQ(budgets_init(&device, &port), SOTTO_OK);
    sotto_deinit(&device.client);
    for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
        std::vector<uint8_t> &bytes = fake.slots[slot];
        bytes.back() ^= 1;
        const uint32_t sum = sotto::device::state_checksum(bytes.data(), bytes.size());
        std::memcpy(bytes.data(), &sum, sizeof sum);
    }
    EXPECT_EQ(budgets_init(&device, &port), SOTTO_ERR_STATE_FORGED);
    ASSERT_EQ(psa_destroy_key(own_key), PSA_SUCCESS);
    EXPECT_EQ(budgets_init(&device, &port), SOTTO_ERR_STORAGE);
}

} // namespace
