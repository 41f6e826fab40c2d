// SPDX-License-Identifier: Apache-2.0
// A person may see exactly what left: sotto_inspect_batch against the bytes of the envelope.
#include "read_batch.hpp"
#include "values.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace {

struct seen {
    std::string release_id;
    uint32_t metric, level, epoch;
    std::vector<uint8_t> value; // as on the wire

    bool operator==(const seen &) const = default;
};

std::vector<uint8_t> little_endian(const uint32_t *words, size_t count) {
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < 4 * count; ++i) {
        bytes.push_back(static_cast<uint8_t>(words[i / 4] >> (i % 4 * 8)));
    }
    return bytes;
}

void keep(void *context, const sotto_sent_report *sent) {
    std::vector<uint8_t> value = little_endian(sent->words, sent->word_count);
    if (sent->shape == SOTTO_SHOWN_BITS) {
        value.resize((sent->size + 7u) / 8);
    }
    static_cast<std::vector<seen> *>(context)->push_back(
        {std::string(sent->release_id, sent->release_id + SOTTO_RELEASE_ID_BYTES), sent->metric_id,
         sent->level, sent->epoch, value});
}

std::vector<uint8_t> value_of(const read_report &r) {
    return r.shown == sotto::shown::index ? little_endian(&r.index, 1) : r.bytes;
}

class Inspection : public Values {
  protected:
    sotto_status report_all(uint32_t pick = 1) {
        const std::array<uint16_t, 3> members = {0, 3, 4};
        const auto number = static_cast<int32_t>(pick);
        const std::array<int32_t, 3> point = {number, -2, 3};
        const std::string text = "B-737" + std::string(pick - 1, 'x');
        sotto_status worst = SOTTO_OK;
        for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
            const sotto_metric &m = every_registry.metrics[i];
            const sotto_status status =
                m.type == SOTTO_TYPE_BOOLEAN    ? sotto_report_boolean(client, m.id, pick % 2 != 0)
                : m.type == SOTTO_TYPE_CATEGORY ? sotto_report_category(client, m.id, pick % 2)
                : m.type == SOTTO_TYPE_SET
                    ? sotto_report_set(client, m.id, members.data(), pick % 4)
                : m.type == SOTTO_TYPE_STRING
                    ? sotto_report_string(client, m.id, text.data(), text.size())
                : m.type == SOTTO_TYPE_VECTOR ? sotto_report_vector(client, m.id, point.data(), 3)
                                              : sotto_report_integer(client, m.id, 11 + number);
            worst = std::min(worst, status);
        }
        return worst;
    }
    sotto_status send() { return sotto_flush(client, buffer.data(), buffer.size(), &length); }
    std::vector<seen> inspected() {
        std::vector<seen> reports;
        EXPECT_EQ(sotto_inspect_batch(client, keep, &reports), SOTTO_OK);
        return reports;
    }
    std::vector<seen> sent() {
        const read_batch batch(buffer.data(), length, every_registry);
        std::vector<seen> reports;
        for (const read_report &r : batch.reports) {
            reports.push_back({std::string(r.release.begin(), r.release.end()), r.metric, r.level,
                               batch.epoch - r.epoch_age, value_of(r)});
        }
        return reports;
    }
};

TEST_F(Inspection, ShowsEveryReportAsItLeft) {
    ASSERT_EQ(sotto_advance(client, 3), SOTTO_OK);
    ASSERT_EQ(report_all(), SOTTO_OK);
    ASSERT_EQ(sotto_relax(client, EVERY_FLAG, 3, 1), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 4), SOTTO_OK);
    ASSERT_EQ(send(), SOTTO_OK);
    ASSERT_GT(sent().size(), size_t{every_registry.metric_count});
    EXPECT_EQ(inspected(), sent());
    EXPECT_EQ(inspected(), sent()) << "as often as it is asked";
    ASSERT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    EXPECT_EQ(inspected(), sent()) << "also of what was sent again";
}

// Without padding, which would hide it: every type together, values that differ, one length.
TEST_F(Inspection, LengthsTellNothingOfValues) {
    sotto_registry bare = every_registry;
    bare.padding_bytes = 0;
    std::set<size_t> lengths;
    std::set<std::vector<std::vector<uint8_t>>> values;
    for (uint32_t pick = 1; pick <= 4; ++pick) {
        new_device();
        client->registry = &bare;
        ASSERT_EQ(sotto_advance(client, 3), SOTTO_OK);
        ASSERT_EQ(report_all(pick), SOTTO_OK);
        ASSERT_EQ(send(), SOTTO_OK);
        lengths.insert(length);
        std::vector<std::vector<uint8_t>> sent_values;
        for (const seen &s : sent()) {
            sent_values.push_back(s.value);
        }
        values.insert(sent_values);
    }
    EXPECT_EQ(lengths.size(), 1u);
    EXPECT_EQ(values.size(), 4u);
}

// The seed is public: it is of a stream that nothing else comes from.
TEST_F(Inspection, TheSeedIsOfAStreamOfItsOwn) {
    using sotto::crypto::purpose;
    ASSERT_EQ(sotto_advance(client, 3), SOTTO_OK);
    ASSERT_EQ(sotto_report_boolean(client, EVERY_FLAG, true), SOTTO_OK);
    const sotto_release *r = release(EVERY_FLAG, 3);
    ASSERT_NE(r, nullptr);
    std::array<uint8_t, 32> key{};
    std::copy_n(r->key, sizeof r->key, key.begin());
    ASSERT_EQ(send(), SOTTO_OK);
    const std::vector<uint8_t> seed = read_batch(buffer.data(), length, every_registry).seed;
    ASSERT_EQ(seed.size(), 8u);
    const auto begins_with_seed = [&](const char(&letters)[9], uint32_t number) {
        std::array<uint8_t, 12> nonce{};
        std::copy_n(letters, 8, nonce.begin());
        nonce[11] = static_cast<uint8_t>(number);
        std::vector<uint8_t> bytes(seed.size());
        EXPECT_EQ(sotto::crypto::stream(key.data(), nonce.data(), 0).read(bytes.data(), 8),
                  SOTTO_OK);
        return bytes == seed;
    };
    EXPECT_TRUE(begins_with_seed("sotto-bs", 0));
    for (uint32_t number = 0; number < 16; ++number) {
        EXPECT_FALSE(begins_with_seed("sotto-ld", number));
        EXPECT_FALSE(begins_with_seed("sotto-ir", number));
        EXPECT_FALSE(begins_with_seed("sotto-rd", number));
    }
}

TEST_F(Inspection, ShowsNothingThatHasNotLeft) {
    std::vector<seen> reports;
    ASSERT_EQ(report_all(), SOTTO_OK);
    EXPECT_EQ(sotto_inspect_batch(client, keep, &reports), SOTTO_ERR_NO_BATCH);
    ASSERT_EQ(send(), SOTTO_OK);
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    EXPECT_EQ(sotto_inspect_batch(client, keep, &reports), SOTTO_ERR_NO_BATCH);
    EXPECT_EQ(reports.size(), 0U);
    EXPECT_EQ(sotto_inspect_batch(client, nullptr, nullptr), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_inspect_batch(nullptr, keep, nullptr), SOTTO_ERR_NOT_INITIALISED);
}

TEST_F(Inspection, WorksInAPauseAndLeavesNothingBehind) {
    ASSERT_EQ(report_all(), SOTTO_OK);
    ASSERT_EQ(send(), SOTTO_OK);
    ASSERT_EQ(sotto_pause(client), SOTTO_OK);
    EXPECT_EQ(inspected(), sent());
    for (size_t i = 0; i < client->memory.words_per_release; ++i) {
        EXPECT_EQ(client->memory.work[i], 0U);
    }
}

} // namespace
