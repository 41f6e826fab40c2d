// SPDX-License-Identifier: Apache-2.0
// Two metrics with one fingerprint, as names that are searched for make them: refused, and where
// nobody looked their permanent noise is still not the same.
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "fake_port.hpp"
#include "metrics.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using bits = std::array<uint32_t, 2>;

class EqualFingerprints : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    permanent_client device{};
    std::vector<sotto_metric> metrics{permanent_registry.metrics,
                                      permanent_registry.metrics + permanent_registry.metric_count};
    sotto_metric &app = metrics[0], &twin = metrics[2];
    sotto_rappor twin_table = *twin.table.rappor;
    std::array<uint8_t, 32> twin_definition{};
    sotto_registry registry = permanent_registry;

    void SetUp() override {
        registry.metrics = metrics.data();
        twin.table.rappor = &twin_table;
        std::copy_n(twin_table.definition, twin_definition.size(), twin_definition.begin());
        twin_table.definition = twin_definition.data();
    }
    // As a search makes them: all that 32 bits say of the definitions is the same.
    void collide() {
        twin.fingerprint = app.fingerprint;
        std::copy_n(app.table.rappor->definition, 4, twin_definition.begin());
    }
    sotto_status init() {
        using state = decltype(device.state);
        const sotto_memory memory = {&device.state.head,
                                     device.state.accounts,
                                     device.state.releases,
                                     device.state.words,
                                     device.work,
                                     device.random,
                                     std::extent_v<decltype(state::accounts)>,
                                     std::extent_v<decltype(state::releases)>,
                                     std::extent_v<decltype(device.work)> / 2,
                                     sizeof device.random,
                                     0,
                                     nullptr};
        return sotto_init(&device.client, &registry, &port, &memory);
    }
    // The permanent bits of one string in a metric.
    bits permanent(const sotto_metric &metric) {
        EXPECT_EQ(sotto_report_string(&device.client, metric.id, "maps", 4), SOTTO_OK);
        const sotto_release *const r = sotto::device::find_release(device.client, metric, 0);
        EXPECT_NE(r, nullptr);
        const uint32_t *const words = sotto::device::release_words(device.client, *r);
        return {words[0], words[1]};
    }
};

TEST_F(EqualFingerprints, AreRefused) {
    collide();
    EXPECT_EQ(init(), SOTTO_ERR_REGISTRY);
}

// Reports of levels above the ladder are counted by theirs.
TEST_F(EqualFingerprints, OfLevelsAboveTheLadderAreRefused) {
    const auto with = [&](uint32_t own, std::array<uint32_t, 2> forward) {
        twin.fingerprint = own;
        twin.forward_fingerprint = forward.data();
        const sotto_status status = init();
        sotto_deinit(&device.client);
        fake.forget();
        return status;
    };
    ASSERT_EQ(app.forward_count, 2);
    ASSERT_EQ(twin.forward_count, 2);
    EXPECT_EQ(with(1, {2, 3}), SOTTO_OK) << "the control";
    EXPECT_EQ(with(app.forward_fingerprint[1], {2, 3}), SOTTO_ERR_REGISTRY);
    EXPECT_EQ(with(1, {app.fingerprint, 3}), SOTTO_ERR_REGISTRY);
    EXPECT_EQ(with(1, {2, app.forward_fingerprint[0]}), SOTTO_ERR_REGISTRY);
}

TEST_F(EqualFingerprints, ShareNoNoiseWhereNobodyLooked) {
    ASSERT_EQ(init(), SOTTO_OK) << "the control: as compiled";
    ASSERT_EQ(sotto_advance(&device.client, 0), SOTTO_OK);
    collide();
    EXPECT_NE(permanent(app), permanent(twin));
}

// With one id the whole definition is what tells them apart.
TEST_F(EqualFingerprints, AreToldApartByTheirWholeDefinitions) {
    ASSERT_EQ(init(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(&device.client, 0), SOTTO_OK);
    const auto noise = [&](const sotto_metric &metric) {
        const std::array<uint8_t, sotto::crypto::digest_bytes> digest{};
        sotto::device::permanent_value value(device.client, metric, digest.data());
        EXPECT_EQ(value.status, SOTTO_OK);
        std::array<uint8_t, 64> bytes{};
        EXPECT_EQ(value.noise.read(bytes.data(), bytes.size()), SOTTO_OK);
        std::array<uint8_t, sotto::crypto::key_bytes> steps{};
        EXPECT_EQ(sotto::device::steps_key(device.client, metric, bits{1, 2}.data(), steps.data()),
                  SOTTO_OK);
        return std::pair(bytes, steps);
    };
    twin = app;
    twin.table.rappor = &twin_table;
    std::copy_n(app.table.rappor->definition, twin_definition.size(), twin_definition.begin());
    const auto all = noise(app);
    EXPECT_EQ(noise(twin), all) << "the control: the same definition";
    twin_definition.back() ^= 1;
    EXPECT_NE(noise(twin).first, all.first);
    EXPECT_NE(noise(twin).second, all.second);
}

} // namespace
