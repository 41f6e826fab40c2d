// SPDX-License-Identifier: Apache-2.0
// Permanent answers of hash values: one for each, whatever the strings, and as WIRE.md has it.
#include "client/client_code.hpp"
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "fake_port.hpp"
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "metrics.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace {

using namespace sotto;
using namespace sotto::device;

class KeptHashes : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    every_client device{};
    sotto_client *client = &device.client;
    uint32_t epoch = 0;

    void SetUp() override { start(); }
    void start() {
        std::memset(&device, 0xa5, sizeof device);
        ASSERT_EQ(every_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
    }
    const sotto_metric &model() { return *find(every_registry, EVERY_MODEL); }
    uint32_t hash_of(const std::string &text) {
        std::array<uint8_t, crypto::digest_bytes> digest{};
        uint32_t too_long = 0, word = 0;
        EXPECT_EQ(string_digest(model().table.hashed->max_bytes, cohort_of(*client, model()),
                                text.data(), text.size(), digest.data(), &too_long),
                  SOTTO_OK);
        (void)model().code->encode(model(), {nullptr, 0, digest.data()}, &word);
        return word;
    }
    // The permanent answer of a new release of the string, which is closed again.
    uint32_t answer(const std::string &text) {
        EXPECT_EQ(sotto_advance(client, ++epoch), SOTTO_OK);
        EXPECT_EQ(sotto_report_string(client, EVERY_MODEL, text.data(), text.size()), SOTTO_OK);
        const sotto_release *release = find_release(*client, model(), epoch);
        const uint32_t word = release_words(*client, *release)[0];
        EXPECT_EQ(sotto_close(client, EVERY_MODEL, epoch), SOTTO_OK);
        return word;
    }
    uint32_t by_hand(uint32_t hash) {
        std::array<uint8_t, crypto::digest_bytes> digest = {0, 0, 0, static_cast<uint8_t>(hash)};
        permanent_value value(*client, model(), digest.data());
        std::array<uint8_t, 16> random{};
        uint32_t word = 0;
        EXPECT_EQ(value.noise.read(random.data(), random.size()), SOTTO_OK);
        EXPECT_EQ(draw_word(model(), 2, 0, hash, {random.data(), random.size()}, &word), SOTTO_OK);
        return word;
    }
};

TEST_F(KeptHashes, HaveOneAnswerEachHoweverManyStrings) {
    std::map<uint32_t, std::set<uint32_t>> answers;
    for (int i = 0; i < 60; ++i) {
        const std::string text = "string " + std::to_string(i % 30);
        answers[hash_of(text)].insert(answer(text));
    }
    ASSERT_EQ(answers.size(), model().table.hashed->size);
    for (const auto &[hash, seen] : answers) {
        EXPECT_EQ(seen, std::set<uint32_t>{by_hand(hash)}) << hash;
    }
}

TEST_F(KeptHashes, AreTheSameAfterARestart) {
    const uint32_t before = answer("maps"), hash = hash_of("maps");
    start();
    EXPECT_EQ(hash_of("maps"), hash);
    EXPECT_EQ(answer("maps"), before);
    EXPECT_EQ(state_words_of(model()), 0u) << "the secret is all that is kept";
}

// Another metric of the same shape has answers of its own.
TEST_F(KeptHashes, GoByTheDefinition) {
    sotto_hashed table = *model().table.hashed;
    std::array<uint8_t, crypto::digest_bytes> definition{};
    std::memcpy(definition.data(), table.definition, definition.size());
    definition.back() ^= 1;
    table.definition = definition.data();
    sotto_metric other = model();
    other.table.hashed = &table;
    std::array<uint8_t, crypto::digest_bytes> hash{};
    const permanent_value own(*client, model(), hash.data()), theirs(*client, other, hash.data());
    EXPECT_NE(own.tag[1], theirs.tag[1]);
}

TEST_F(KeptHashes, CostNoMoreThanALifeOfThem) {
    const sotto_metric &m = model();
    const uint32_t each = m.cost_reports;
    for (uint32_t level = 0; level < m.level_count; ++level) {
        const uint32_t *cost = m.cost + level * each;
        EXPECT_EQ(cost[each - 1], m.cost[each - 1]) << "all levels have the same permanent answer";
        EXPECT_LT(cost[0], cost[1]);
    }
}

} // namespace
