// SPDX-License-Identifier: Apache-2.0
#include "client/permanent_value.hpp"

#include "client/client_code.hpp"
#include "client/internal.hpp"
#include "mechanism/code.hpp"
#include "random/fixed_time.hpp"
#include "random/uniform.hpp"

namespace sotto::device {
sotto_status assign_cohort(sotto_client &client) {
    uint8_t bytes[4];
    const sotto_status status =
        crypto::stream(client.secret, crypto::purpose::cohort, 0).read(bytes, sizeof bytes);
    client.cohort = load32(bytes);
    return status;
}

uint32_t cohort_of(const sotto_client &client, const sotto_metric &metric) {
    const string_code *strings = metric.code->strings;
    return strings == nullptr ? 0 : scaled(client.cohort, strings->cohorts(metric));
}

sotto_status string_digest(uint32_t max_bytes, uint32_t cohort, const char *text,
                           size_t length_bytes, uint8_t digest[crypto::digest_bytes],
                           uint32_t *too_long) {
    static const char label[] = "\x0esotto bloom v1";
    const auto length = static_cast<uint32_t>(length_bytes);
    const mask fits = ~less(max_bytes, length);
    const char nothing = 0;
    const char *from = length_bytes == 0 ? &nothing : text;
    uint8_t head[8], padded[SOTTO_STRING_BYTES_MAX];
    put_big_endian(head, cohort);
    put_big_endian(head + 4, select(fits, length, UINT32_MAX));
    for (uint32_t i = 0; i < max_bytes; ++i) {
        const mask inside = less(i, length);
        padded[i] = static_cast<uint8_t>(static_cast<uint8_t>(from[inside & i]) & inside & fits);
    }
    const crypto::bytes parts[] = {
        {label, sizeof label - 1}, {head, sizeof head}, {padded, max_bytes}};
    const sotto_status status = crypto::sha256(parts, 3, digest);
    crypto::wipe(padded, sizeof padded);
    crypto::wipe(head, sizeof head);
    *too_long = ~fits & 1;
    return status;
}

sotto_status category_digest(uint32_t category, uint8_t digest[crypto::digest_bytes]) {
    static const char label[] = "\x11sotto category v1";
    uint8_t number[4];
    put_big_endian(number, category);
    const crypto::bytes parts[] = {{label, sizeof label - 1}, {number, 4}};
    const sotto_status status = crypto::sha256(parts, 2, digest);
    crypto::wipe(number, sizeof number);
    return status;
}

namespace {

// Not by the fingerprint: definitions with equal ones are found in seconds, and metrics that share
// their permanent noise hide nothing. Two hashes of 32 bytes under different labels, so that
// nobody finds another pair with the same sum.
struct with_definition {
    with_definition(const sotto_metric &metric, const uint8_t *what, size_t length_bytes) {
        const uint8_t *definition = lasting_of(metric)->definition(metric);
        for (size_t i = 0; i < sizeof bytes; ++i) {
            bytes[i] = static_cast<uint8_t>(definition[i] ^ (i < length_bytes ? what[i] : 0));
        }
    }
    with_definition(const with_definition &) = delete;
    with_definition &operator=(const with_definition &) = delete;
    ~with_definition() { crypto::wipe(bytes, sizeof bytes); }

    uint8_t bytes[crypto::digest_bytes];
};

} // namespace

permanent_value::permanent_value(const sotto_client &client, const sotto_metric &metric,
                                 const uint8_t digest[crypto::digest_bytes])
    : noise(client.secret, crypto::purpose::value_key, metric.id,
            with_definition(metric, digest, crypto::digest_bytes).bytes) {
    uint8_t bytes[SOTTO_VALUE_TAG_BYTES];
    status = noise.read(bytes, sizeof bytes);
    tag[0] = load32(bytes) | 1; // zero means: no value
    tag[1] = load32(bytes + 4);
    crypto::wipe(bytes, sizeof bytes);
}

sotto_status steps_key(const sotto_client &client, const sotto_metric &metric,
                       const uint32_t tag[2], uint8_t key[crypto::key_bytes]) {
    uint8_t bytes[SOTTO_VALUE_TAG_BYTES];
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = static_cast<uint8_t>(tag[i / 4] >> (8 * (i % 4)));
    }
    crypto::stream stream(client.secret, crypto::purpose::steps_key, metric.id,
                          with_definition(metric, bytes, sizeof bytes).bytes);
    crypto::wipe(bytes, sizeof bytes);
    return stream.read(key, crypto::key_bytes);
}

uint32_t is_admissible(const sotto_client &client, const sotto_metric &metric,
                       const uint32_t tag[2]) {
    const account a = account_of(client, metric.id);
    const uint32_t *tags = a.state();
    mask found = 0;
    for (size_t i = 0; i < a.state_words() / 2; ++i) {
        found |= is_zero(tags[2 * i]);
        found |= equal(tags[2 * i], tag[0]) & equal(tags[2 * i + 1], tag[1]);
    }
    return found;
}

void admit_value(const sotto_client &client, const sotto_metric &metric, const uint32_t tag[2]) {
    const account a = account_of(client, metric.id);
    uint32_t *tags = a.state();
    mask done = 0;
    for (size_t i = 0; i < a.state_words() / 2; ++i) {
        const mask is_there = equal(tags[2 * i], tag[0]) & equal(tags[2 * i + 1], tag[1]);
        const mask take = is_zero(tags[2 * i]) & ~done;
        tags[2 * i] = select(take, tag[0], tags[2 * i]);
        tags[2 * i + 1] = select(take, tag[1], tags[2 * i + 1]);
        done |= is_there | take;
    }
}

} // namespace sotto::device
