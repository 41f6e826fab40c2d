// SPDX-License-Identifier: Apache-2.0
#include "client/client_code.hpp"
#include "client/measurement.hpp"
#include "random/fixed_time.hpp"

using namespace sotto;
using namespace sotto::device;

// The value of each type as the true words of a measurement, new or drawn forward.
namespace {

constexpr uint32_t only(uint32_t type) { return uint32_t{1} << type; }
constexpr uint32_t numbers =
    only(SOTTO_TYPE_INTEGER) | only(SOTTO_TYPE_MEAN) | only(SOTTO_TYPE_DISTRIBUTION);

// A positive note (0: none), if the report was made.
sotto_status with_note(sotto_status status, uint32_t note) {
    return status == SOTTO_OK ? static_cast<sotto_status>(declassified(note)) : status;
}

// The value as true words. Returns what the caller is told. Not inlined, as the next: the stack of
// both is free again when the noise is drawn.
[[gnu::noinline]] uint32_t encode(measurement &m, const void *value, size_t count, uint8_t *bytes) {
    return m.code().encode(m.metric(), {value, count, bytes}, m.true_words());
}

[[gnu::noinline]] uint32_t encode_one(measurement &m, uint32_t value, uint8_t *bytes) {
    const uint32_t told = encode(m, &value, 1, bytes);
    crypto::wipe(&value, sizeof value);
    return told;
}

bool is_refused(uint32_t told) { return declassified(told >> 31) != 0; }

sotto_status finish(measurement &m, uint32_t told) {
    return is_refused(told) ? sotto_status{SOTTO_ERR_NO_SUCH_VALUE} : with_note(m.publish(), told);
}

// The category of a metric whose noise stays with a value, by its digest.
[[gnu::noinline]] sotto_status publish_kept_category(measurement &m, uint32_t category) {
    uint8_t digest[crypto::digest_bytes] = {};
    m.set_status(lasting_of(m.metric())->digest(m.client(), m.metric(), category, digest));
    sotto_status status = SOTTO_ERR_NO_SUCH_VALUE;
    if (!is_refused(encode_one(m, category, digest))) {
        status = m.publish_value(digest);
    }
    crypto::wipe(digest, sizeof digest);
    return status;
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
    if (lasting_of(m.metric()) != nullptr) {
        return publish_kept_category(m, category);
    }
    return finish(m, encode_one(m, category, nullptr));
}

sotto_status finish_set(measurement &m, const uint16_t *members, size_t count) {
    if (!m.ok()) {
        return m.status();
    }
    if (members == nullptr && count > 0) {
        return SOTTO_ERR_ARGUMENT;
    }
    uint8_t *random = m.rounding();
    return finish(m, encode(m, members, count, random));
}

sotto_status finish_integer(measurement &m, int32_t value) {
    if (!m.ok()) {
        return m.status();
    }
    uint8_t *random = m.rounding();
    return finish(m, encode_one(m, static_cast<uint32_t>(value), random));
}

sotto_status finish_string(measurement &m, const char *text, size_t length_bytes) {
    if (!m.ok()) {
        return m.status();
    }
    if ((text == nullptr && length_bytes > 0) || length_bytes >= UINT32_MAX) {
        return SOTTO_ERR_ARGUMENT;
    }
    uint8_t digest[crypto::digest_bytes] = {};
    uint32_t too_long = 0;
    m.set_status(string_digest(m.code().strings->max_bytes(m.metric()),
                               cohort_of(m.client(), m.metric()), text, length_bytes, digest,
                               &too_long));
    (void)encode(m, nullptr, 0, digest);
    const sotto_status status = m.publish_value(digest);
    crypto::wipe(digest, sizeof digest);
    return with_note(status, too_long * SOTTO_VALUE_TOO_LONG);
}

sotto_status finish_vector(measurement &m, const int32_t *values, size_t length) {
    if (!m.ok()) {
        return m.status();
    }
    if (values == nullptr || length != m.metric().value_words) {
        return SOTTO_ERR_ARGUMENT;
    }
    return finish(m, encode(m, values, length, nullptr));
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
