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

// Categories: a metric of twelve.
class KeptHashesOfCategories : public KeptHashes {
  protected:
    const sotto_metric &part() { return *find(every_registry, EVERY_PART); }
    std::array<uint8_t, crypto::digest_bytes> digest_of(uint32_t category) {
        std::array<uint8_t, crypto::digest_bytes> digest{};
        EXPECT_EQ(lasting_of(part())->digest(*client, part(), category, digest.data()), SOTTO_OK);
        return digest;
    }
    uint32_t hash_of_category(uint32_t category) {
        std::array<uint8_t, crypto::digest_bytes> digest = digest_of(category);
        uint32_t word = 0;
        EXPECT_EQ(part().code->encode(part(), {&category, 1, digest.data()}, &word), 0u);
        return word;
    }
    // The permanent answer of a new release, which is closed again.
    uint32_t answer_to(uint32_t category) {
        EXPECT_EQ(sotto_advance(client, ++epoch), SOTTO_OK);
        EXPECT_EQ(sotto_report_category(client, EVERY_PART, category), SOTTO_OK);
        const uint32_t word = release_words(*client, *find_release(*client, part(), epoch))[0];
        EXPECT_EQ(sotto_close(client, EVERY_PART, epoch), SOTTO_OK);
        return word;
    }
};

TEST_F(KeptHashesOfCategories, AreThoseOfTheIndexInFourBytes) {
    for (const uint32_t category : {0u, 1u, 11u, 70'000u, 0x7fffffffu}) {
        const char bytes[] = {static_cast<char>(category >> 24), static_cast<char>(category >> 16),
                              static_cast<char>(category >> 8), static_cast<char>(category)};
        std::array<uint8_t, crypto::digest_bytes> expected{};
        uint32_t too_long = 1;
        ASSERT_EQ(
            string_digest(4, cohort_of(*client, part()), bytes, 4, expected.data(), &too_long),
            SOTTO_OK);
        EXPECT_EQ(digest_of(category), expected) << category;
        EXPECT_EQ(too_long, 0u);
    }
}

TEST_F(KeptHashesOfCategories, HaveOneAnswerEach) {
    std::map<uint32_t, std::set<uint32_t>> answers;
    for (uint32_t i = 0; i < 36; ++i) {
        answers[hash_of_category(i % 12)].insert(answer_to(i % 12));
    }
    ASSERT_GT(answers.size(), 1u);
    ASSERT_LE(answers.size(), part().table.hashed->size);
    for (const auto &[hash, seen] : answers) {
        EXPECT_EQ(seen.size(), 1u) << hash;
    }
}

TEST_F(KeptHashesOfCategories, AreOfCategoriesThatThereAre) {
    for (const uint32_t category : {12u, 70'000u, 0x80000000u, UINT32_MAX}) {
        EXPECT_EQ(sotto_report_category(client, EVERY_PART, category), SOTTO_ERR_NO_SUCH_VALUE);
    }
    for (const sotto_release &release : device.state.releases) {
        EXPECT_EQ(release.flags, 0) << "a refusal leaves nothing";
    }
    EXPECT_EQ(sotto_report_category(client, EVERY_PART, 11), SOTTO_OK);
    EXPECT_EQ(sotto_report_category(client, EVERY_MODEL, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_string(client, EVERY_PART, "1", 1), SOTTO_ERR_WRONG_TYPE);
}

TEST_F(KeptHashesOfCategories, HaveTablesOfTheirOwn) {
    sotto_hashed table = *part().table.hashed;
    sotto_metric metric = part();
    metric.table.hashed = &table;
    const auto sound = [&](uint8_t type, uint32_t categories, uint16_t max_bytes) {
        metric.type = type;
        table.categories = categories;
        table.max_bytes = max_bytes;
        return metric.code->is_sound(metric);
    };
    EXPECT_TRUE(sound(SOTTO_TYPE_CATEGORY, 12, 4));
    EXPECT_TRUE(sound(SOTTO_TYPE_CATEGORY, SOTTO_CATEGORY_INDICES_MAX, 4));
    EXPECT_TRUE(sound(SOTTO_TYPE_STRING, 0, 12));
    EXPECT_FALSE(sound(SOTTO_TYPE_CATEGORY, 0, 4));
    EXPECT_FALSE(sound(SOTTO_TYPE_CATEGORY, 1, 4));
    EXPECT_FALSE(sound(SOTTO_TYPE_CATEGORY, SOTTO_CATEGORY_INDICES_MAX + 1, 4));
    EXPECT_FALSE(sound(SOTTO_TYPE_CATEGORY, 12, 5));
    EXPECT_FALSE(sound(SOTTO_TYPE_STRING, 12, 4));
    EXPECT_FALSE(sound(SOTTO_TYPE_BOOLEAN, 0, 4));
}

} // namespace
