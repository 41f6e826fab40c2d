// SPDX-License-Identifier: Apache-2.0
// A person may see exactly what left: sotto_inspect_batch against the bytes of the envelope.
#include "read_batch.hpp"
#include "values.hpp"

#include <cstring>

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
    sotto_status report_all() {
        const std::array<uint16_t, 2> members = {0, 3};
        const std::array<int32_t, 3> point = {1, -2, 3};
        sotto_status worst = SOTTO_OK;
        for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
            const sotto_metric &m = every_registry.metrics[i];
            const sotto_status status =
                m.type == SOTTO_TYPE_BOOLEAN    ? sotto_report_boolean(client, m.id, true)
                : m.type == SOTTO_TYPE_CATEGORY ? sotto_report_category(client, m.id, 1)
                : m.type == SOTTO_TYPE_SET      ? sotto_report_set(client, m.id, members.data(), 2)
                : m.type == SOTTO_TYPE_STRING   ? sotto_report_string(client, m.id, "B-737", 5)
                : m.type == SOTTO_TYPE_VECTOR   ? sotto_report_vector(client, m.id, point.data(), 3)
                                                : sotto_report_integer(client, m.id, 12);
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
