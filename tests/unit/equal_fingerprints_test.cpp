// SPDX-License-Identifier: Apache-2.0
// Two metrics with one fingerprint, as names that are searched for make them. They are refused, and
// where nobody looked their permanent noise is still not the same.
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "fake_port.hpp"
#include "metrics.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <type_traits>
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
    // The noise of one digest's permanent bits in a metric, and the key of their steps.
    struct secrets {
        std::array<uint8_t, 64> noise{};
        std::array<uint8_t, sotto::crypto::key_bytes> steps{};
    };
    secrets secrets_of(const sotto_metric &metric) const {
        secrets out;
        const std::array<uint8_t, sotto::crypto::digest_bytes> digest{};
        sotto::device::permanent_value value(device.client, metric, digest.data());
        EXPECT_EQ(value.status, SOTTO_OK);
        EXPECT_EQ(value.noise.read(out.noise.data(), out.noise.size()), SOTTO_OK);
        EXPECT_EQ(
            sotto::device::steps_key(device.client, metric, bits{1, 2}.data(), out.steps.data()),
            SOTTO_OK);
        return out;
    }
    void expect_all_differ(const sotto_metric &a, const sotto_metric &b) const {
        EXPECT_NE(secrets_of(a).noise, secrets_of(b).noise);
        EXPECT_NE(secrets_of(a).steps, secrets_of(b).steps);
    }
    void expect_all_equal(const sotto_metric &a, const sotto_metric &b) const {
        EXPECT_EQ(secrets_of(a).noise, secrets_of(b).noise);
        EXPECT_EQ(secrets_of(a).steps, secrets_of(b).steps);
    }
};

TEST_F(EqualFingerprints, AreRefused) {
    ASSERT_EQ(init(), SOTTO_OK) << "the control: as compiled";
    sotto_deinit(&device.client);
    fake.forget();
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
    ASSERT_EQ(init(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(&device.client, 0), SOTTO_OK);
    collide();
    EXPECT_NE(permanent(app), permanent(twin));
    // Where even the definitions are equal the id tells them apart; nothing else does.
    sotto_metric copy = app;
    expect_all_equal(copy, app); // the control
    copy.id = twin.id;
    expect_all_differ(copy, app);
}

// With one id the whole definition is what tells them apart.
TEST_F(EqualFingerprints, AreToldApartByTheirWholeDefinitions) {
    ASSERT_EQ(init(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(&device.client, 0), SOTTO_OK);
    twin = app;
    twin.table.rappor = &twin_table;
    std::copy_n(app.table.rappor->definition, twin_definition.size(), twin_definition.begin());
    expect_all_equal(twin, app); // the control: the same definition
    twin_definition.back() ^= 1;
    expect_all_differ(twin, app);
}

} // namespace
