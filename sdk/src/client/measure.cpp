// SPDX-License-Identifier: Apache-2.0
#include "client/measurement.hpp"
#include "mechanism/discrete_laplace.hpp"
#include "mechanism/one_bit_mean.hpp"
#include "mechanism/rappor.hpp"
#include "mechanism/unary.hpp"
#include "random/fixed_time.hpp"

using namespace sotto;
using namespace sotto::device;

// The value of each type as the true words of a measurement, new or drawn forward.
namespace {

constexpr uint32_t only(uint32_t type) { return uint32_t{1} << type; }
constexpr uint32_t numbers = only(SOTTO_TYPE_INTEGER) | only(SOTTO_TYPE_MEAN);

// How many members a metric has; categories and sets only.
uint32_t size_of(const sotto_metric &metric) {
    switch (metric.mechanism) {
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        return metric.table.k_randomized_response->size;
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return metric.table.rappor->bits;
    default:
        return metric.table.unary->size;
    }
}

// A positive note (0: none), if the report was made.
sotto_status with_note(sotto_status status, uint32_t note) {
    return status == SOTTO_OK ? static_cast<sotto_status>(declassified(note)) : status;
}

sotto_status finish_boolean(measurement &m, bool value) {
    if (!m.ok()) {
        return m.status();
    }
    m.true_words()[0] = static_cast<uint32_t>(value);
    return m.publish();
}

sotto_status finish_category(measurement &m, uint32_t category) {
    if (!m.ok()) {
        return m.status();
    }
    const uint32_t size = size_of(m.metric());
    if (declassified(~less(category, size)) != 0) {
        return SOTTO_ERR_NO_SUCH_VALUE;
    }
    if (m.metric().mechanism == SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE) {
        m.true_words()[0] = category;
        return m.publish();
    }
    auto member = static_cast<uint16_t>(category);
    set_members(&member, 1, size, m.true_words());
    crypto::wipe(&member, sizeof member);
    if (m.metric().mechanism != SOTTO_MECHANISM_BASIC_RAPPOR) {
        return m.publish();
    }
    uint8_t digest[crypto::digest_bytes];
    m.set_status(category_digest(category, digest));
    const sotto_status status = m.publish_value(digest);
    crypto::wipe(digest, sizeof digest);
    return status;
}

sotto_status finish_set(measurement &m, const uint16_t *members, size_t count) {
    if (!m.ok()) {
        return m.status();
    }
    if (members == nullptr && count > 0) {
        return SOTTO_ERR_ARGUMENT;
    }
    const sotto_unary &table = *m.metric().table.unary;
    const uint32_t given = static_cast<uint32_t>(count > UINT16_MAX ? UINT16_MAX : count);
    uint32_t *words = m.true_words();
    uint32_t wrong = 0, repeated = 0;
    const uint16_t nothing = 0;
    const uint16_t *from = count == 0 ? &nothing : members;
    for (uint32_t i = 0; i < table.max_members; ++i) {
        const mask is_given = less(i, given);
        const auto member = static_cast<uint16_t>(select(is_given, from[is_given & i], no_member));
        wrong |= is_given & ~less(member, table.size);
        for (uint32_t w = 0; w < m.metric().value_words; ++w) {
            const uint32_t bit = one_member(member, table.size, w);
            repeated |= words[w] & bit;
            words[w] |= bit;
        }
    }
    if (declassified(wrong) != 0) {
        return SOTTO_ERR_NO_SUCH_VALUE;
    }
    return with_note(m.publish(), select(less(table.max_members, given), SOTTO_VALUE_TOO_MANY,
                                         ~is_zero(repeated) & SOTTO_VALUE_REPEATED_MEMBER));
}

sotto_status finish_integer(measurement &m, int32_t value) {
    if (!m.ok()) {
        return m.status();
    }
    const auto given = static_cast<uint32_t>(value);
    const bool is_integer = m.metric().type == SOTTO_TYPE_INTEGER;
    const uint32_t clamped = is_integer ? clamped_value(*m.metric().table.discrete_laplace, given)
                                        : clamped_number(*m.metric().table.one_bit_mean, given);
    m.true_words()[0] = clamped;
    if (!is_integer) {
        uint8_t random[one_bit_mean_bytes] = {};
        m.rounding(random, sizeof random);
        m.true_words()[0] = rounded_to_one_bit(*m.metric().table.one_bit_mean, clamped, random);
        crypto::wipe(random, sizeof random);
    }
    return with_note(m.publish(), ~equal(clamped, given) & SOTTO_VALUE_CLAMPED);
}

sotto_status finish_string(measurement &m, const char *text, size_t length_bytes) {
    if (!m.ok()) {
        return m.status();
    }
    if ((text == nullptr && length_bytes > 0) || length_bytes >= UINT32_MAX) {
        return SOTTO_ERR_ARGUMENT;
    }
    const sotto_rappor &table = *m.metric().table.rappor;
    uint8_t digest[crypto::digest_bytes];
    uint32_t too_long = 0;
    m.set_status(string_digest(table, cohort_of(m.client(), m.metric()), text, length_bytes, digest,
                               &too_long));
    if (m.ok()) {
        bloom_bits(table, digest, m.true_words());
    }
    const sotto_status status = m.publish_value(digest);
    crypto::wipe(digest, sizeof digest);
    return with_note(status, too_long * SOTTO_VALUE_TOO_LONG);
}

sotto_status finish_vector(measurement &m, const int32_t *values, size_t length) {
    if (!m.ok()) {
        return m.status();
    }
    const sotto_discrete_laplace &table = *m.metric().table.discrete_laplace;
    if (values == nullptr || length != table.length) {
        return SOTTO_ERR_ARGUMENT;
    }
    uint32_t *words = m.true_words();
    uint32_t changed = 0;
    for (size_t i = 0; i < length; ++i) {
        const auto given = static_cast<uint32_t>(values[i]);
        words[i] = clamped_value(table, given);
        changed |= words[i] ^ given;
    }
    const uint32_t clipped = clip_l1(table, words, length);
    return with_note(m.publish(), ((~is_zero(changed) & 1) | clipped) * SOTTO_VALUE_CLAMPED);
}

} // namespace

extern "C" sotto_status sotto_report_boolean(sotto_client *client, uint16_t metric_id, bool value) {
    measurement m(client, metric_id, only(SOTTO_TYPE_BOOLEAN));
    return finish_boolean(m, value);
}

extern "C" sotto_status sotto_report_category(sotto_client *client, uint16_t metric_id,
                                              uint32_t category) {
    measurement m(client, metric_id, only(SOTTO_TYPE_CATEGORY));
    return finish_category(m, category);
}

extern "C" sotto_status sotto_report_set(sotto_client *client, uint16_t metric_id,
                                         const uint16_t *members, size_t count) {
    measurement m(client, metric_id, only(SOTTO_TYPE_SET));
    return finish_set(m, members, count);
}

extern "C" sotto_status sotto_report_integer(sotto_client *client, uint16_t metric_id,
                                             int32_t value) {
    measurement m(client, metric_id, numbers);
    return finish_integer(m, value);
}

extern "C" sotto_status sotto_report_string(sotto_client *client, uint16_t metric_id,
                                            const char *text, size_t length_bytes) {
    measurement m(client, metric_id, only(SOTTO_TYPE_STRING));
    return finish_string(m, text, length_bytes);
}

extern "C" sotto_status sotto_report_vector(sotto_client *client, uint16_t metric_id,
                                            const int32_t *values, size_t length) {
    measurement m(client, metric_id, only(SOTTO_TYPE_VECTOR));
    return finish_vector(m, values, length);
}

extern "C" sotto_status sotto_extend_boolean(sotto_client *client, uint16_t metric_id,
                                             uint32_t epoch, bool value) {
    measurement m(client, metric_id, only(SOTTO_TYPE_BOOLEAN), epoch);
    return finish_boolean(m, value);
}

extern "C" sotto_status sotto_extend_category(sotto_client *client, uint16_t metric_id,
                                              uint32_t epoch, uint32_t category) {
    measurement m(client, metric_id, only(SOTTO_TYPE_CATEGORY), epoch);
    return finish_category(m, category);
}

extern "C" sotto_status sotto_extend_set(sotto_client *client, uint16_t metric_id, uint32_t epoch,
                                         const uint16_t *members, size_t count) {
    measurement m(client, metric_id, only(SOTTO_TYPE_SET), epoch);
    return finish_set(m, members, count);
}

extern "C" sotto_status sotto_extend_integer(sotto_client *client, uint16_t metric_id,
                                             uint32_t epoch, int32_t value) {
    measurement m(client, metric_id, numbers, epoch);
    return finish_integer(m, value);
}

extern "C" sotto_status sotto_extend_string(sotto_client *client, uint16_t metric_id,
                                            uint32_t epoch, const char *text, size_t length_bytes) {
    measurement m(client, metric_id, only(SOTTO_TYPE_STRING), epoch);
    return finish_string(m, text, length_bytes);
}

extern "C" sotto_status sotto_extend_vector(sotto_client *client, uint16_t metric_id,
                                            uint32_t epoch, const int32_t *values, size_t length) {
    measurement m(client, metric_id, only(SOTTO_TYPE_VECTOR), epoch);
    return finish_vector(m, values, length);
}
