// SPDX-License-Identifier: Apache-2.0
// Another firmware takes over what a device kept.
#include "client/adopt.hpp"
#include "client/stored.hpp"
#include "state.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace {

TEST_F(State, AccountsGoOverToANewRegistry) {
    ASSERT_EQ(sotto_report_integer(client, BUDGETS_POWER, 4), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const uint32_t spent = account(0).spent, by_door = account(BUDGETS_DOOR).spent;
    const auto old = fake.slots;
    registry.fingerprint ^= 1;
    // A new metric, and 3 gets a longer window.
    metrics[2].window_epochs = 5;
    metrics.push_back(metrics[4]);
    metrics[5].id = 6;
    metrics[5].fingerprint ^= 1;
    const uint32_t above = metrics[4].forward_fingerprint[0] ^ 1;
    ASSERT_EQ(metrics[5].forward_count, 1);
    metrics[5].forward_fingerprint = &above;
    registry.metrics = metrics.data();
    registry.metric_count = 6;
    const size_t words = account_words({7, 5, 0, 5, 7, 0, 0}, 2);
    ASSERT_EQ(boot(registry, words), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(account(0).spent, spent);
    EXPECT_EQ(account(BUDGETS_DOOR).spent, by_door);
    EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_EQ(account(BUDGETS_POWER).spent, cost(BUDGETS_POWER, 0));
    EXPECT_EQ(account(6).measured, 0u);
    EXPECT_EQ(sotto_report_boolean(client, 6, true), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_OK) << "still open";
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(boot(registry, words), SOTTO_OK) << "and it was stored like that";
    EXPECT_EQ(reboot(), SOTTO_ERR_STATE_SIZE) << "the older firmware has less room";
    // Leaving a metric out does not make the device forget its spending.
    fake.slots = old;
    metrics.erase(metrics.begin() + 1);
    registry.metric_count = 5;
    EXPECT_EQ(boot(registry, account_words({7, 5, 5, 7, 0, 0}, 2)), SOTTO_ERR_METRIC_CHANGED);
}

// Epochs that a longer window should remember and can't count as spent.
TEST_F(State, ALongerWindowKnowsLess) {
    registry.fingerprint ^= 1;
    registry.metrics = metrics.data();
    registry.window_epochs = 20;
    ASSERT_EQ(boot(registry, account_words({20, 5, 0, 3, 20, 0}, 2)), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(door(), SOTTO_ERR_BUDGET);
    EXPECT_EQ(account(BUDGETS_DOOR).free_epoch, 7u);
}

TEST_F(State, AChangedDefinitionIsRefused) {
    registry.fingerprint ^= 1;
    metrics[0].fingerprint ^= 1;
    registry.metrics = metrics.data();
    const size_t words = account_words({7, 5, 0, 3, 7, 0}, 2);
    ASSERT_EQ(boot(registry, words), SOTTO_ERR_METRIC_CHANGED);
    EXPECT_EQ(door(), SOTTO_ERR_METRIC_CHANGED);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    EXPECT_EQ(boot(registry, words), SOTTO_OK);
}

// A device in the field whose firmware knows no level above any ladder.
class Before : public State {
  protected:
    sotto_registry old = registry;

    void SetUp() override {
        for (sotto_metric &m : metrics) {
            m.forward_count = 0;
        }
        old.metrics = metrics.data();
        old.fingerprint ^= 1;
        ASSERT_EQ(boot(old), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    }
    sotto_status boot(const sotto_registry &with, size_t releases = budgets_releases,
                      uint16_t words = 1) {
        size_t accounts = sotto::device::account_words(with, nullptr);
        for (uint16_t i = 0; i < with.metric_count; ++i) {
            accounts += sotto::device::account_words(with, &with.metrics[i]);
        }
        return State::boot(with, accounts, static_cast<uint16_t>(releases), words);
    }
    void measure_three() {
        ASSERT_EQ(sotto_report_boolean(client, BUDGETS_ALARM, true), SOTTO_OK);
        ASSERT_EQ(door(), SOTTO_OK);
        ASSERT_EQ(sotto_report_category(client, BUDGETS_ROOM, 3), SOTTO_OK);
    }
    std::map<id_and_level, std::string> sent_again() {
        EXPECT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        return reports(*client->registry);
    }
    size_t open_releases() const {
        sotto_release_info info{};
        size_t count = 0;
        while (sotto_get_release(client, count, &info) == SOTTO_OK) {
            ++count;
        }
        return count;
    }

    static constexpr size_t budgets_releases =
        std::extent_v<decltype(budgets_client::state.releases)>;
};

TEST_F(Before, ALevelThatCameLaterIsReached) {
    ASSERT_EQ(sotto_report_boolean(client, BUDGETS_ALARM, true), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    auto published = reports(old);
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    EXPECT_EQ(sotto_extend_boolean(client, BUDGETS_ALARM, 0, true), SOTTO_ERR_NO_SUCH_LEVEL);

    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    EXPECT_EQ(sotto_extend_boolean(client, BUDGETS_ALARM, 0, true), SOTTO_ERR_LEVELS_BELOW);
    ASSERT_EQ(sotto_relax(client, BUDGETS_ALARM, 0, 1), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    published.merge(reports());
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    ASSERT_EQ(sotto_extend_boolean(client, BUDGETS_ALARM, 0, true), SOTTO_OK);
    EXPECT_EQ(account(0).spent, cost(BUDGETS_ALARM, 2)) << "the difference was charged";
    ASSERT_EQ(flush(), SOTTO_OK);
    published.merge(reports());
    ASSERT_EQ(published.size(), 3u);
    uint32_t level = 0;
    for (const auto &[at, value] : published) {
        EXPECT_EQ(at, id_and_level(std::get<0>(published.begin()->first), level++))
            << "one release";
    }
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    EXPECT_EQ(open_releases(), 0u) << "there is nothing above";
    ASSERT_EQ(sotto_advance(client, 6), SOTTO_OK);
    EXPECT_EQ(account(0).spent, cost(BUDGETS_ALARM, 2));
    ASSERT_EQ(sotto_advance(client, 7), SOTTO_OK);
    EXPECT_EQ(account(0).spent, 0u) << "all of it to the epoch of the measurement";
}

// Permanent bits are there: no value is needed.
TEST_F(Before, ALevelOfPermanentBitsThatCameLaterIsReached) {
    ASSERT_EQ(sotto_report_string(client, BUDGETS_APP, "maps", 4), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    const std::string id = std::get<0>(reports(old).begin()->first);
    EXPECT_EQ(sotto_relax(client, BUDGETS_APP, 0, 2), SOTTO_ERR_NO_SUCH_LEVEL);

    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_APP, 0, 2), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    ASSERT_EQ(reports().size(), 1u);
    EXPECT_EQ(reports().begin()->first, id_and_level(id, 2));
}

TEST_F(Before, WhatWaitsAndWhatWasSentStays) {
    measure_three();
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto sent = reports(old);
    ASSERT_EQ(sotto_relax(client, BUDGETS_DOOR, 0, 1), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, BUDGETS_ALARM, 0, 1), SOTTO_OK);
    ASSERT_EQ(sotto_pause(client), SOTTO_OK); // a pause stores all that waits
    ASSERT_EQ(sotto_resume(client), SOTTO_OK);
    const auto stored = fake.slots;
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto waited = reports(old);
    ASSERT_EQ(waited.size(), 2u);

    fake.slots = stored;
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(sent_again(), sent);
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(reports(), waited);
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(sent_again(), waited) << "and stored like that";
}

// More metrics, longer and shorter windows, more releases, longer values. As long as there is as
// much room for each release as there was, all move with what they say.
TEST_F(Before, ReleasesMoveWithTheirWords) {
    std::vector<sotto_metric> three = {metrics[0], metrics[1], metrics[4]};
    sotto_registry small = old;
    small.metrics = three.data();
    small.metric_count = 3;
    for (const uint16_t words : {uint16_t{1}, uint16_t{2}}) {
        fake.forget();
        ASSERT_EQ(boot(small, 3, words), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
        measure_three();
        ASSERT_EQ(flush(), SOTTO_OK);
        const auto sent = reports(small);
        ASSERT_EQ(sent.size(), 3u);
        const uint32_t spent = account(0).spent;
        const auto stored = fake.slots;
        for (const int window : {5, 2, 60}) {
            for (const size_t releases : {size_t{3}, size_t{4}, size_t{40}}) {
                for (const int more : {0, 1, 30}) {
                    std::vector<sotto_metric> copies(budgets_registry.metrics,
                                                     budgets_registry.metrics +
                                                         budgets_registry.metric_count);
                    copies[0].window_epochs = static_cast<uint8_t>(window);
                    sotto_registry now = budgets_registry;
                    now.metrics = copies.data();
                    fake.slots = stored;
                    ASSERT_EQ(boot(now, releases, static_cast<uint16_t>(words + more)), SOTTO_OK);
                    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
                    ASSERT_EQ(open_releases(), 3u);
                    ASSERT_EQ(sent_again(), sent) << window << releases << more;
                    EXPECT_EQ(account(0).spent, spent);
                    ASSERT_EQ(sotto_report_integer(client, BUDGETS_POWER, 4), SOTTO_OK);
                    ASSERT_EQ(flush(), SOTTO_OK);
                    const auto more_sent = reports();
                    ASSERT_EQ(boot(now, releases, static_cast<uint16_t>(words + more)), SOTTO_OK);
                    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
                    EXPECT_EQ(sent_again(), more_sent);
                }
            }
        }
    }
}

TEST_F(Before, WithLessRoomForReleasesNoneStaysOpen) {
    measure_three();
    ASSERT_EQ(flush(), SOTTO_OK);
    const uint32_t spent = account(0).spent;
    std::vector<sotto_metric> copies(budgets_registry.metrics,
                                     budgets_registry.metrics + budgets_registry.metric_count);
    copies[2].window_epochs = 64; // so that the old state fits
    sotto_registry now = budgets_registry;
    now.metrics = copies.data();
    const auto stored = fake.slots;
    for (const size_t releases : {budgets_releases - 1, budgets_releases}) {
        fake.slots = stored;
        ASSERT_EQ(boot(now, releases), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
        EXPECT_EQ(open_releases(), releases < budgets_releases ? 0u : 3u);
        EXPECT_EQ(account(0).spent, spent);
        EXPECT_EQ(door(), SOTTO_ERR_ALREADY_REPORTED);
    }
}

// Nothing is stored until something is said: a cut before that finds the older state again.
TEST_F(Before, AnUpdateThatIsCutIsDoneAgain) {
    measure_three();
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto sent = reports(old);
    const auto stored = fake.slots;
    ASSERT_EQ(reboot(), SOTTO_OK);
    EXPECT_EQ(fake.slots, stored);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    ASSERT_EQ(door(), SOTTO_OK);
    fake.storage_fails = true;
    EXPECT_EQ(flush(), SOTTO_ERR_STORAGE);
    fake.storage_fails = false;
    ASSERT_EQ(reboot(), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    EXPECT_EQ(sent_again(), sent);
    ASSERT_EQ(door(), SOTTO_OK);
    ASSERT_EQ(flush(), SOTTO_OK);
    EXPECT_EQ(boot(old), SOTTO_ERR_METRIC_CHANGED) << "from here on there is no way back";
}

// A head that says anything of what follows: nothing beside the memory is read or written.
TEST_F(Before, AnyShapeIsReadWithinTheMemory) {
    measure_three();
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto stored = fake.slots;
    const auto with = [&](uint32_t account_words, uint32_t shape) {
        fake.slots = stored;
        for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
            std::vector<uint8_t> &bytes = fake.slots[slot];
            sotto_state_head head;
            std::memcpy(&head, bytes.data(), sizeof head);
            head.account_words = account_words;
            head.release_shape = shape;
            std::memcpy(bytes.data(), &head, sizeof head);
            head.checksum = sotto::device::state_checksum(bytes.data(), bytes.size());
            std::memcpy(bytes.data(), &head, sizeof head);
        }
        return boot(budgets_registry);
    };
    sotto_state_head good;
    std::memcpy(&good, stored[SOTTO_SLOT_STATE_A].data(), sizeof good);
    const auto words = static_cast<uint32_t>(stored[SOTTO_SLOT_STATE_A].size() / 4);
    EXPECT_EQ(with(good.account_words, good.release_shape), SOTTO_OK) << "the control";
    for (uint32_t account_words = 0; account_words < words + 20; ++account_words) {
        for (const uint32_t count : {0u, 1u, 9u, 10u, 11u, 0xffffu}) {
            for (const uint32_t each : {0u, 1u, 2u, 0xffffu}) {
                const sotto_status status = with(account_words, count << 16 | each);
                ASSERT_TRUE(status == SOTTO_OK || status == SOTTO_ERR_STATE_CORRUPT ||
                            status == SOTTO_ERR_METRIC_CHANGED)
                    << status;
            }
        }
    }
}

// Levels above a ladder may only be added above the others.
TEST_F(Before, AnotherLevelInItsPlaceIsRefused) {
    std::vector<sotto_metric> copies(budgets_registry.metrics,
                                     budgets_registry.metrics + budgets_registry.metric_count);
    sotto_registry now = budgets_registry;
    now.metrics = copies.data();
    ASSERT_EQ(boot(now), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    measure_three();
    ASSERT_EQ(flush(), SOTTO_OK);
    const auto stored = fake.slots;

    now.fingerprint ^= 2;
    ASSERT_EQ(boot(now), SOTTO_OK) << "the control";
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(open_releases(), 3u);

    fake.slots = stored;
    const uint32_t *const prints = copies[4].forward_fingerprint;
    const uint32_t other = *prints ^ 1;
    copies[4].forward_fingerprint = &other;
    EXPECT_EQ(boot(now), SOTTO_ERR_METRIC_CHANGED);
    copies[4].forward_fingerprint = prints;
    copies[4].forward_count = 0;
    EXPECT_EQ(boot(now), SOTTO_ERR_METRIC_CHANGED) << "nor be taken away again";
    copies[4].forward_count = 1;
    copies[4].forward_fingerprint = nullptr;
    EXPECT_EQ(boot(now), SOTTO_ERR_REGISTRY);
}

// An older registry may have allowed several: whose the value is can't be told.
TEST_F(Before, OneOfSeveralIsNotExtended) {
    metrics[4].per_epoch = 2;
    for (const int times : {1, 2}) {
        fake.forget();
        ASSERT_EQ(boot(old), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
        for (int i = 0; i < times; ++i) {
            ASSERT_EQ(sotto_report_boolean(client, BUDGETS_ALARM, i == 0), SOTTO_OK);
        }
        ASSERT_EQ(sotto_relax(client, BUDGETS_ALARM, 0, 1), SOTTO_OK);
        ASSERT_EQ(flush(), SOTTO_OK);
        ASSERT_EQ(reboot(), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
        ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
        EXPECT_EQ(sotto_extend_boolean(client, BUDGETS_ALARM, 0, true),
                  times == 1 ? SOTTO_OK : SOTTO_ERR_NO_RELEASE);
    }
}

} // namespace
